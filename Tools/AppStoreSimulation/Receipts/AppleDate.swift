import Primitives

extension Instant {
    /// The form in receipts: RFC 3339 in whole seconds.
    var receiptDate: String { "\(iso8601.prefix(19))Z" }

    /// `2025-06-01 19:36:40`
    private var dateAndTime: String { "\(iso8601.prefix(10)) \(iso8601.dropFirst(11).prefix(8))" }

    /// The first form in JSON.
    var inGreenwich: String { "\(dateAndTime) Etc/GMT" }

    /// The third form in JSON.
    var onPacificCoast: String {
        "\(advanced(byMilliseconds: PacificTime.offset(at: self)).dateAndTime) America/Los_Angeles"
    }
}

extension [JSONValue.Member] {
    mutating func add(_ key: String, _ text: String?) {
        if let text { append(.init(key, .string(text))) }
    }

    /// Adds an instant in Apple's three forms: `KEY`, `KEY_ms` and `KEY_pst`.
    mutating func add(_ key: String, _ instant: Instant?) {
        guard let instant else { return }
        add(key, instant.inGreenwich)
        add(key + "_ms", "\(instant.milliseconds)")
        add(key + "_pst", instant.onPacificCoast)
    }
}

/// The time zone America/Los_Angeles, with its rule since 2007.
enum PacificTime {
    /// Returns the milliseconds to add to UTC: those of the summer from the second Sunday in March, 10:00 UTC, to the
    /// first Sunday in November, 09:00 UTC.
    static func offset(at instant: Instant) -> Int64 {
        let year = CivilDate(of: instant).year
        let spring = sunday(inMonth: 3, of: year, week: 2).advanced(byMilliseconds: 10 * Instant.millisecondsPerHour)
        let autumn = sunday(inMonth: 11, of: year, week: 1).advanced(byMilliseconds: 9 * Instant.millisecondsPerHour)
        return (spring <= instant && instant < autumn ? -7 : -8) * Instant.millisecondsPerHour
    }

    private static func sunday(inMonth month: Int64, of year: Int64, week: Int64) -> Instant {
        let first = CivilDate(year: year, month: month, day: 1)?.daysSinceEpoch ?? 0
        // 1970-01-01 was a Thursday.
        let untilSunday = (3 - first).flooringRemainder(7)
        return Instant(milliseconds: (first + untilSunday + 7 * (week - 1)) * Instant.millisecondsPerDay)
    }
}

extension Int64 {
    fileprivate func flooringRemainder(_ divisor: Int64) -> Int64 { (self % divisor + divisor) % divisor }
}
