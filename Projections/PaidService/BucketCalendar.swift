package import LedgerModel
package import Primitives

/// A division of time into months, weeks or days of a calendar.
package struct BucketCalendar: Sendable {
    package enum Interval: String, Sendable, CaseIterable { case month, week, day }

    package let interval: Interval
    package let zone: TimeZoneTable
    private let weekStartsOn: Rules.Retention.Weekday

    /// - Parameter zone: the time zone in which days begin.
    package init(_ interval: Interval, in zone: TimeZoneTable, weekStartsOn: Rules.Retention.Weekday) {
        (self.interval, self.zone, self.weekStartsOn) = (interval, zone, weekStartsOn)
    }

    /// Returns the bucket that contains an instant.
    package func bucket(of instant: Instant) -> Bucket {
        let date = zone.date(of: instant)
        let day =
            switch interval {
            case .day: date.daysSinceEpoch
            case .week: date.daysSinceEpoch - daysIntoWeek(date.daysSinceEpoch)
            case .month: date.daysSinceEpoch - date.day + 1
            }
        return Bucket(day: day, interval: interval)
    }

    /// Returns the bucket with a name; nil if there is none.
    package func bucket(named name: String) -> Bucket? {
        guard let date = Instant(iso8601: interval == .month ? name + "-01" : name) else { return nil }
        let bucket = bucket(of: zone.start(ofDay: date.milliseconds / Instant.millisecondsPerDay))
        return bucket.name == name ? bucket : nil
    }

    /// Returns the first instant of a bucket.
    package func start(of bucket: Bucket) -> Instant { zone.start(ofDay: bucket.day) }

    private func daysIntoWeek(_ day: Int64) -> Int64 {
        // 1970-01-01 was a Thursday.
        let days = (day - (weekStartsOn == .monday ? 4 : 3)) % 7
        return days < 0 ? days + 7 : days
    }
}

/// A month, a week or a day of a calendar.
package struct Bucket: Hashable, Comparable, Sendable {
    /// The first day, since 1970-01-01.
    fileprivate let day: Int64
    fileprivate let interval: BucketCalendar.Interval

    /// The first day, in days since 1970-01-01.
    package var firstDay: Int64 { day }

    package var next: Bucket {
        switch interval {
        case .day: Bucket(day: day + 1, interval: interval)
        case .week: Bucket(day: day + 7, interval: interval)
        case .month: Bucket(day: CivilDate(daysSinceEpoch: day).firstOfMonth(after: 1), interval: interval)
        }
    }

    /// The first day: `2026-01-05`; of a month, the month: `2026-01`.
    package var name: String {
        let date = Instant(milliseconds: day * Instant.millisecondsPerDay).iso8601
        return String(date.prefix(interval == .month ? 7 : 10))
    }

    package static func < (left: Bucket, right: Bucket) -> Bool { left.day < right.day }
}

extension CivilDate {
    /// Returns the first day of a later month, in days since 1970-01-01.
    package func firstOfMonth(after months: Int64) -> Int64 {
        let month = year * 12 + self.month - 1 + months
        return CivilDate(year: month / 12, month: month % 12 + 1, day: 1)?.daysSinceEpoch ?? daysSinceEpoch
    }
}
