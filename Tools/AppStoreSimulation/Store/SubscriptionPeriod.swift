package import Primitives

/// A calendar period, such as one month.
package struct SubscriptionPeriod: Hashable, Sendable {
    package enum Unit: String, Sendable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    package let count: Int64
    package let unit: Unit

    package init(_ count: Int64, _ unit: Unit) {
        precondition((1...1_000).contains(count), "a period is 1 to 1,000 units long")
        self.count = count
        self.unit = unit
    }

    /// The form used in `offerPeriod`: P1W, P3M.
    package var iso8601: String { "P\(count)\(unit.rawValue)" }

    package func times(_ factor: Int) -> SubscriptionPeriod {
        SubscriptionPeriod(count * Int64(factor), unit)
    }

    /// Returns the end of the period by calendar arithmetic in UTC; a day missing from the month becomes its last day.
    package func end(from start: Instant) -> Instant {
        switch unit {
        case .day: start.advanced(byMilliseconds: count * Instant.millisecondsPerDay)
        case .week: start.advanced(byMilliseconds: count * 7 * Instant.millisecondsPerDay)
        case .month: start.advanced(byMonths: count)
        case .year: start.advanced(byMonths: count * 12)
        }
    }
}

extension Instant {
    fileprivate func advanced(byMonths months: Int64) -> Instant {
        let timeOfDay = (milliseconds % Self.millisecondsPerDay + Self.millisecondsPerDay) % Self.millisecondsPerDay
        let date = CivilDate(daysSinceEpoch: (milliseconds - timeOfDay) / Self.millisecondsPerDay)
        let month = date.year * 12 + date.month - 1 + months
        for day in stride(from: date.day, through: 1, by: -1) {
            if let end = CivilDate(year: month / 12, month: month % 12 + 1, day: day) {
                return Instant(milliseconds: end.daysSinceEpoch * Self.millisecondsPerDay + timeOfDay)
            }
        }
        preconditionFailure("simulated dates stay within the years 0000 to 9999")
    }
}
