package import LedgerModel
package import Primitives

/// When, and knowing what: "on 1 March, what did we believe about 15 February?"
package struct Question: Sendable {
    package enum KnownAt: Sendable {
        /// What was in the log when it held so many events.
        case size(Position)
        /// What was recorded up to an instant.
        case instant(Instant)
    }

    package var asOf: Instant
    /// Nil: everything acknowledged.
    package var knownAt: KnownAt?
    /// Nil: the ledger's.
    package var rules: Rules?

    package init(asOf: Instant, knownAt: KnownAt? = nil) {
        self.asOf = asOf
        self.knownAt = knownAt
    }
}
