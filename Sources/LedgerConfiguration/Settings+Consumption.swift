extension Settings {
    /// Whether, and how, to answer Apple's requests for consumption information.
    /// https://developer.apple.com/documentation/appstoreserverapi/send-consumption-information
    package struct Consumption: Hashable, Sendable {
        package enum RefundPreference: String, CaseIterable, Sendable {
            case decline = "DECLINE"
            case grantFull = "GRANT_FULL"
            case grantProrated = "GRANT_PRORATED"
        }

        package var enabled = false
        /// Whether the content could be tried before the purchase, besides a free trial that the log has.
        package var sampleContentProvided = false
        /// The outcome that the developer prefers; nil for none.
        package var refundPreference: RefundPreference?

        package init() {}
    }

    mutating func readConsumption(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        if let value = members.take("enabled") { consumption.enabled = try value.flag() }
        if let value = members.take("sampleContentProvided") { consumption.sampleContentProvided = try value.flag() }
        if let value = members.take("refundPreference") {
            guard let preference = Consumption.RefundPreference(rawValue: try value.text()) else {
                throw value.unexpected(oneOf: Consumption.RefundPreference.allCases.map(\.rawValue))
            }
            consumption.refundPreference = preference
        }
        try members.finish()
    }
}
