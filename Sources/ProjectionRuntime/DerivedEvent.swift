package import EventLog
package import Primitives

/// What is derived from one event of the log: all that the stores and the tail keep of it.
package struct DerivedEvent: Sendable {
    package let position: UInt64
    package let recordedAt: Instant
    package let identity: Identity
    package let repeatIdentity: Identity?
    /// `EventFacts` in their stored form.
    package let facts: [UInt8]
    /// Each once.
    package let indexTerms: [IndexTerm]

    package init(
        position: UInt64, recordedAt: Instant, identity: Identity, repeatIdentity: Identity?, facts: [UInt8],
        indexTerms: [IndexTerm]
    ) {
        self.position = position
        self.recordedAt = recordedAt
        self.identity = identity
        self.repeatIdentity = repeatIdentity
        self.facts = facts
        self.indexTerms = indexTerms
    }

    init(_ event: CommittedEvent) {
        self.init(
            position: event.record.position, recordedAt: event.record.recordedAt, identity: event.record.identity,
            repeatIdentity: event.repeatIdentity, facts: event.facts, indexTerms: event.indexTerms)
    }
}
