package import Primitives

/// A year, a quarter or a month by its name: `2026`, `2026-Q3`, `2026-07`.
package struct ClosedPeriod: Hashable, Sendable {
    /// The first day after the period, since 1970-01-01.
    private let endDay: Int64

    /// Returns nil for any other text.
    package init?(name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, parts[0].utf8.count == 4, let year = Self.number(parts[0]) else { return nil }
        var months: Int64 = 12
        if parts.count == 2 {
            if parts[1].hasPrefix("Q"), let quarter = Self.number(String(parts[1].dropFirst())),
                (1...4).contains(quarter),
                parts[1].utf8.count == 2
            {
                months = quarter * 3
            } else if parts[1].utf8.count == 2, let month = Self.number(parts[1]), (1...12).contains(month) {
                months = month
            } else {
                return nil
            }
        }
        let end = CivilDate(year: year + months / 12, month: months % 12 + 1, day: 1)
        guard let end else { return nil }
        endDay = end.daysSinceEpoch
    }

    /// Returns the first instant after the period in a time zone.
    package func end(in zone: TimeZoneTable) -> Instant { zone.start(ofDay: endDay) }

    private static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
