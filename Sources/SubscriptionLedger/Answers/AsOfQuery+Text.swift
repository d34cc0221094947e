package import Primitives

extension AsOfQuery.KnownAt {
    /// The smallest integer that is read as milliseconds: 10^11 ms is in 1973, and no log has that many events.
    private static let firstInstant: UInt64 = 100_000_000_000

    /// Creates a state of knowledge from a log size (an integer below 10^11) or an instant.
    package init?(text: String) {
        if let number = UInt64(text), number < Self.firstInstant {
            self = .size(number)
        } else if let instant = Instant(text: text) {
            self = .instant(instant)
        } else {
            return nil
        }
    }
}

extension Instant {
    /// Creates an instant from ISO 8601 or milliseconds since 1970.
    package init?(text: String) {
        if let milliseconds = Int64(text) {
            let instant = Instant(milliseconds: milliseconds)
            guard instant >= .earliest, instant <= .latest else { return nil }
            self = instant
        } else {
            self.init(iso8601: text)
        }
    }
}
