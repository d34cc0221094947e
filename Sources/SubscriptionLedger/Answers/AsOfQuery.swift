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
    /// The rules of the answer; nil for the ledger's rules.
    package var rules: Rules?

    package init(asOf: Instant, knownAt: KnownAt? = nil) {
        self.asOf = asOf
        self.knownAt = knownAt
    }
}
