package import LedgerModel
package import Primitives

/// The instant and the state of knowledge that a query asks for.
///
/// Example: the state on 15 February, as known on 1 March.
package struct Question: Sendable {
    package enum KnownAt: Sendable {
        /// The first events of the log, by count.
        case size(Position)
        /// The events recorded up to an instant.
        case instant(Instant)
    }

    package var asOf: Instant
    /// Nil for every acknowledged event.
    package var knownAt: KnownAt?
    /// Nil for the ledger's rules.
    package var rules: Rules?

    package init(asOf: Instant, knownAt: KnownAt? = nil) {
        self.asOf = asOf
        self.knownAt = knownAt
    }
}
