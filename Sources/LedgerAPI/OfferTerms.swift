package import Primitives

/// The offer of a period.
package struct OfferTerms: Hashable, Sendable {
    /// `introductory`, `promotional`, `offerCode`, `winBack`, or Apple's number of another type.
    package let type: String?
    package let id: String?
    /// `freeTrial`, `payAsYouGo`, `payUpFront`, `oneTime`, or Apple's name of another type.
    package let discountType: String?
    /// The duration of the whole offer in ISO 8601.
    package let period: String?

    package init(type: String?, id: String?, discountType: String?, period: String?) {
        self.type = type
        self.id = id
        self.discountType = discountType
        self.period = period
    }
}

extension OfferTerms: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "type": JSONValue(type), "id": JSONValue(id), "discountType": JSONValue(discountType),
            "period": JSONValue(period),
        ])
    }
}
