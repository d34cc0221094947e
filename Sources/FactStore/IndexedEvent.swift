import EventLog
package import Primitives

/// The stored facts of an event, with their terms. A commit observer receives them as the attachment of the event.
package struct IndexedFacts: Sendable {
    /// The stored form of `EventFacts`; empty for an event without facts.
    package let bytes: [UInt8]
    /// Without duplicates.
    package let terms: [IndexTerm]

    package static let none = IndexedFacts(bytes: [], terms: [])

    package init(bytes: [UInt8], terms: [IndexTerm]) {
        self.bytes = bytes
        self.terms = terms
    }

    package init(_ facts: EventFacts) {
        self.init(bytes: facts.bytes, terms: facts.indexTerms)
    }
}

/// An event with its facts, as the database and the pending events contain it.
package struct IndexedEvent: Sendable {
    package let position: UInt64
    package let recordedAt: Instant
    package let facts: IndexedFacts

    package init(position: UInt64, recordedAt: Instant, facts: IndexedFacts) {
        self.position = position
        self.recordedAt = recordedAt
        self.facts = facts
    }

    /// Creates the event of a commit; it has no facts without an attachment of this kind.
    init(_ event: CommittedEvent) {
        self.init(
            position: event.position, recordedAt: event.recordedAt,
            facts: event.attachment as? IndexedFacts ?? .none)
    }
}
