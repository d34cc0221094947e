package import LedgerModel
package import Primitives

/// The instant and the state of knowledge of a query.
///
/// Example: the state on 15 February, as known on 1 March.
package struct AsOfQuery: Sendable {
    package enum KnownAt: Sendable {
        /// The first events of the log, by count.
        case size(Position)
        /// The events recorded up to an instant.
        case instant(Instant)
    }

    package var asOf: Instant
    /// The state of knowledge; nil for every acknowledged event.
    package var knownAt: KnownAt?
    /// The instant by which Apple signed what counts; nil for everything known. The ledger's own events count whenever
    /// they are known.
    package var signedBy: Instant?
    /// The rules of the answer; nil for the rules active at `knownAt`.
    package var rules: Rules?

    package init(asOf: Instant, knownAt: KnownAt? = nil) {
        self.asOf = asOf
        self.knownAt = knownAt
    }
}

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

/// The refusal of a question about more events than the log contains. Its answer would change when the log grows.
package struct KnownAtAhead: DiagnosedError, Hashable, Sendable {
    package let asked: Position
    package let size: Position

    package var diagnosis: Diagnosis {
        Diagnosis(
            "known_at_ahead", "knownAt is beyond the log size", expected: "at most \(size)",
            found: "\(asked)", hint: "Use a log size, which is the newest position plus one.")
    }
}
