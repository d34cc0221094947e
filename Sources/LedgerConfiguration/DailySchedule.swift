package import Primitives

/// A time of every day on the clocks of a time zone.
package struct DailySchedule: Sendable {
    /// Minutes after midnight, 0 to 1439.
    package let minutes: Int64
    package let zone: TimeZoneTable

    package init(minutes: Int64, zone: TimeZoneTable) {
        (self.minutes, self.zone) = (minutes, zone)
    }

    /// Reads a time of the form `HH:MM`.
    init?(_ text: String, zone: TimeZoneTable) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(Self.isDigit) }),
            let hour = Int64(parts[0]), hour < 24, let minute = Int64(parts[1]), minute < 60
        else { return nil }
        self.init(minutes: hour * 60 + minute, zone: zone)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The form `HH:MM`.
    package var time: String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// Returns the last instant of the schedule that is not after another one.
    package func last(at instant: Instant) -> Instant {
        slots(around: instant).last { $0 <= instant } ?? .earliest
    }

    /// Returns the first instant of the schedule after another one.
    package func next(after instant: Instant) -> Instant {
        slots(around: instant).first { $0 > instant } ?? .latest
    }

    /// A time that clocks skip is the first one after it; one that they show twice is the first of the two.
    private func slots(around instant: Instant) -> [Instant] {
        let clock = instant.milliseconds + zone.offset(at: instant) * 1_000
        let day = clock.flooringDivided(by: Instant.millisecondsPerDay)
        return (day - 2...day + 2).map {
            zone.first(showing: $0 * Instant.millisecondsPerDay + minutes * Instant.millisecondsPerMinute)
        }
    }
}
