package import Primitives

/// The answer of `replay`: the state of subscriptions after each event about them.
package struct ReplayAnswer: JSONRepresentable {
    package var rows: [Row] = []

    package init() {}

    /// A subscription after an event, as the ledger answered when it had recorded that event.
    package struct Row: Sendable {
        package var position: UInt64
        package var recordedAt: Instant
        package var kind: String
        package var about: EventRow.About?
        package var id: SubscriptionID
        /// The members of the state that the event changed; all of them for the first event.
        package var changed: [String]
        /// Nil while nothing has begun.
        package var state: SubscriptionRow?

        package init(
            position: UInt64, recordedAt: Instant, kind: String, about: EventRow.About?, id: SubscriptionID,
            changed: [String], state: SubscriptionRow?
        ) {
            (self.position, self.recordedAt, self.kind) = (position, recordedAt, kind)
            (self.about, self.id, self.changed, self.state) = (about, id, changed, state)
        }
    }

    package var json: JSONValue { .object(["rows": .array(rows.map(\.json))]) }
}

extension ReplayAnswer.Row {
    fileprivate var json: JSONValue {
        .object(
            [
                .init("position", JSONValue(position: position)), .init("recordedAt", JSONValue(recordedAt)),
                .init("kind", .string(kind)), .init("notificationType", JSONValue(about?.notificationType)),
                .init("subtype", JSONValue(about?.subtype)),
            ] + id.members + [
                .init("changed", .array(changed.map { .string($0) })), .init("state", JSONValue(state)),
            ])
    }
}
