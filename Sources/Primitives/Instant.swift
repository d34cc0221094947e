/// A moment in milliseconds since 1970-01-01T00:00:00Z, the unit of every date that Apple signs and the ledger stores.
///
/// Instants of the years 0000 to 9999 (`Instant.earliest ... Instant.latest`) print as ISO 8601. Others are refused on
/// input (`date_out_of_range`).
public struct Instant: Hashable, Comparable, BitwiseCopyable, Sendable {
    public let milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    // The standard library derives the other three from the first, by a call each.

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
    @inlinable
    public static func > (left: Instant, right: Instant) -> Bool { left.milliseconds > right.milliseconds }
    @inlinable
    public static func <= (left: Instant, right: Instant) -> Bool { left.milliseconds <= right.milliseconds }
    @inlinable
    public static func >= (left: Instant, right: Instant) -> Bool { left.milliseconds >= right.milliseconds }
    @inlinable
    public static func == (left: Instant, right: Instant) -> Bool { left.milliseconds == right.milliseconds }

    /// Returns the instant `interval` milliseconds later (earlier when negative), clamped to the range of `Int64`.
    @inlinable
    public func advanced(byMilliseconds interval: Int64) -> Instant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(interval)
        return Instant(milliseconds: overflow ? (interval > 0 ? .max : .min) : sum)
    }

    /// 0000-01-01T00:00:00.000Z
    package static let earliest = Instant(milliseconds: -62_167_219_200_000)
    /// 9999-12-31T23:59:59.999Z
    package static let latest = Instant(milliseconds: 253_402_300_799_999)
}

extension Instant {
    package static let millisecondsPerMinute: Int64 = 60_000
    package static let millisecondsPerHour: Int64 = 3_600_000
    package static let millisecondsPerDay: Int64 = 86_400_000
}
