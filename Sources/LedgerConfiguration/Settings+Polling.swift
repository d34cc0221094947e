extension Settings {
    /// Checks the form of the polling settings. This version does not poll, so polling that is enabled is recorded as
    /// unused.
    mutating func readPolling(_ value: YAMLValue) throws(ConfigurationError) {
        var members = try YAMLMapping(value)
        let isEnabled = try members.take("enabled")?.flag() ?? false
        _ = try members.take("concurrency")?.integer(in: 1...1_024)
        _ = try members.take("callsPerHour")?.integer(in: 1...1_000_000)
        _ = try members.take("headroom")?.number(in: 0.01...1)
        for key in ["afterPeriodEnd", "beforePeriodEnd"] {
            if let span = members.take(key) { try Self.requireTimeSpan(span) }
        }
        for span in try members.take("retry")?.elements() ?? [] { try Self.requireTimeSpan(span) }
        _ = try members.take("retryForDays")?.integer(in: 1...3_650)
        try members.finish()
        if isEnabled { unused.append(value.name) }
    }

    /// Requires a time span such as `60s`, `15m`, `24h` or `7d`.
    private static func requireTimeSpan(_ value: YAMLValue) throws(ConfigurationError) {
        let text = try value.text()
        guard let unit = text.last, "smhd".contains(unit), let count = UInt32(text.dropLast()),
            String(count) == text.dropLast()
        else { throw value.unexpected("a time span such as 60s, 15m, 24h or 7d") }
    }
}
