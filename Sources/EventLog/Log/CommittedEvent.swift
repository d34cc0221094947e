package import Primitives

/// A durable event.
package struct CommittedEvent: Sendable {
    package let position: UInt64
    package let recordedAt: Instant
    /// The attachment of the event's draft.
    package let attachment: (any Sendable)?

    package init(position: UInt64, recordedAt: Instant, attachment: (any Sendable)?) {
        self.position = position
        self.recordedAt = recordedAt
        self.attachment = attachment
    }
}

/// Receives the events of each commit in order, on the writer's thread, once they are durable and before their callers
/// are answered.
package typealias CommitObserver = @Sendable ([CommittedEvent]) -> Void
