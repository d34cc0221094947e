package import Primitives

/// A duration in one calendar unit (ISO 8601), such as the period of a subscription or of an offer: `P1W`, `P3M`.
package struct CalendarPeriod: Hashable, Sendable {
    package enum Unit: Character, Sendable { case day = "D", week = "W", month = "M", year = "Y" }

    /// The form of a period in files.
    package static let form = "an ISO 8601 duration of 1 to 999 days, weeks, months or years, such as P1M"

    /// 1 to 999.
    package let count: Int
    package let unit: Unit

    package init(_ count: Int, _ unit: Unit) {
        precondition((1...999).contains(count))
        (self.count, self.unit) = (count, unit)
    }

    /// Reads `P`, one to three digits without leading zeros, and the letter of the unit.
    package init?(_ text: String) {
        guard text.first == "P", let unit = text.last.flatMap(Unit.init(rawValue:)) else { return nil }
        let digits = text.dropFirst().dropLast()
        guard let count = Int(digits), String(count) == digits, (1...999).contains(count) else { return nil }
        self.init(count, unit)
    }
}

extension CalendarPeriod: CustomStringConvertible {
    package var description: String { "P\(count)\(unit.rawValue)" }
}

extension Instant {
    /// Returns this instant plus a number of periods in the UTC calendar, clamped to the years 0000 to 9999.
    ///
    /// Months are counted from this instant itself, so 31 January plus two months is 31 March. A day that the month
    /// lacks becomes the last of the month: 31 January plus one month is 28 or 29 February.
    package func advanced(by period: CalendarPeriod, times: Int = 1) -> Instant {
        let (count, overflow) = period.count.multipliedReportingOverflow(by: times)
        guard !overflow else { return times < 0 ? .earliest : .latest }
        switch period.unit {
        case .day: return advanced(byUTCDays: count)
        case .week: return advanced(byUTCDays: count.multipliedClamped(by: 7))
        case .month: return advanced(byUTCMonths: count)
        case .year: return advanced(byUTCMonths: count.multipliedClamped(by: 12))
        }
    }

    private func advanced(byUTCDays days: Int) -> Instant {
        let (interval, overflow) = Int64(days).multipliedReportingOverflow(by: Self.millisecondsPerDay)
        guard !overflow else { return days < 0 ? .earliest : .latest }
        return min(max(advanced(byMilliseconds: interval), .earliest), .latest)
    }

    private func advanced(byUTCMonths months: Int) -> Instant {
        guard self >= .earliest, self <= .latest else { return min(max(self, .earliest), .latest) }
        let date = CivilDate(of: self)
        let midnight = Instant(milliseconds: date.daysSinceEpoch * Self.millisecondsPerDay)
        let (month, overflow) = (date.year * 12 + date.month - 1).addingReportingOverflow(Int64(months))
        guard !overflow, month >= 0, let moved = CivilDate(lastDayUpTo: date.day, ofMonth: month) else {
            return months < 0 ? .earliest : .latest
        }
        let time = milliseconds - midnight.milliseconds
        return Instant(milliseconds: moved.daysSinceEpoch * Self.millisecondsPerDay + time)
    }
}

extension CivilDate {
    /// Creates the day of a month, or the last day of the month if it is shorter; nil after the year 9999.
    /// - Parameter month: the months since the year 0000.
    fileprivate init?(lastDayUpTo day: Int64, ofMonth month: Int64) {
        let (year, month) = (month / 12, month % 12 + 1)
        let candidates = stride(from: day, to: day - 4, by: -1)
        guard let date = candidates.lazy.compactMap({ CivilDate(year: year, month: month, day: $0) }).first else {
            return nil
        }
        self = date
    }
}

extension Int {
    fileprivate func multipliedClamped(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? (self < 0 ? .min : .max) : product
    }
}
