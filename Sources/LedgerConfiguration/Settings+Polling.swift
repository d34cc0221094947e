import Primitives

extension Settings {
    /// When and how often to ask Apple. Times are in milliseconds.
    package struct Polling: Hashable, Sendable {
        package var enabled = false
        /// The calls at the same time.
        package var concurrency = 8
        /// The calls in an hour over all apps and endpoints.
        package var callsPerHour = 36_000
        /// The share of Apple's limits and of `callsPerHour` that is used.
        package var headroom = 0.8
        package var afterPeriodEnd = Instant.millisecondsPerMinute
        package var beforePeriodEnd = Instant.millisecondsPerDay
        package var retry = [1, 6, 24].map { $0 * Instant.millisecondsPerHour }
        package var retryForDays = 60

        package init() {}
    }

    mutating func readPolling(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        if let value = members.take("enabled") { polling.enabled = try value.flag() }
        if let value = members.take("concurrency") { polling.concurrency = try value.integer(in: 1...1_024) }
        if let value = members.take("callsPerHour") { polling.callsPerHour = try value.integer(in: 1...1_000_000) }
        if let value = members.take("headroom") { polling.headroom = try value.number(in: 0.01...1) }
        if let value = members.take("afterPeriodEnd") { polling.afterPeriodEnd = try Self.timeSpan(value) }
        if let value = members.take("beforePeriodEnd") { polling.beforePeriodEnd = try Self.timeSpan(value) }
        if let value = members.take("retry") { polling.retry = try Self.retry(value) }
        if let value = members.take("retryForDays") { polling.retryForDays = try value.integer(in: 1...3_650) }
        try members.finish()
    }

    private static func retry(_ value: YAMLValue) throws(ConfigurationError) -> [Int64] {
        var spans: [Int64] = []
        for element in try value.elements() {
            let span = try timeSpan(element)
            guard span > spans.last ?? 0 else { throw element.unexpected("a time span longer than the one before") }
            spans.append(span)
        }
        return spans
    }

    /// Reads a time span such as `60s`, `15m`, `24h` or `7d`.
    /// - Returns: milliseconds.
    private static func timeSpan(_ value: YAMLValue) throws(ConfigurationError) -> Int64 {
        let text = try value.text()
        let units: [Character: Int64] = [
            "s": 1_000, "m": Instant.millisecondsPerMinute, "h": Instant.millisecondsPerHour,
            "d": Instant.millisecondsPerDay,
        ]
        guard let unit = text.last.flatMap({ units[$0] }), let count = UInt32(text.dropLast()),
            String(count) == text.dropLast()
        else { throw value.unexpected("a time span such as 60s, 15m, 24h or 7d") }
        return Int64(count) * unit
    }
}
