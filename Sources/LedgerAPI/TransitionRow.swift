package import Primitives

/// One change of a subscription's answer: a row of the transitions feed.
package struct TransitionRow: Hashable, Sendable {
    /// The number of the row: 0, 1, 2 … without gaps, over all environments.
    package var sequence: UInt64
    /// The instant from which the ledger gives this answer.
    package var recordedAt: Instant
    /// The instant from which the state applies; never after `recordedAt`.
    package var effectiveAt: Instant
    /// The names of the changes, in a fixed order.
    package var change: [String]
    /// `notificationType[/subtype]`, `transaction`, `renewalInfo`, `time`, or the kind of an event about customers.
    package var cause: String
    /// The position of the newest known event.
    package var position: UInt64
    /// The ids of the owners at `effectiveAt`, as known when the row is read: every id and appAccountToken of a
    /// customer, else the handle.
    package var customers: [String]
    /// The `SubscriptionRow` just before `effectiveAt`; null when there was none.
    package var before: JSONValue
    /// The `SubscriptionRow` at `effectiveAt`; null when the subscription no longer has a row.
    package var after: JSONValue

    package init(
        sequence: UInt64, recordedAt: Instant, effectiveAt: Instant, change: [String], cause: String, position: UInt64,
        customers: [String], before: JSONValue, after: JSONValue
    ) {
        self.sequence = sequence
        self.recordedAt = recordedAt
        self.effectiveAt = effectiveAt
        self.change = change
        self.cause = cause
        self.position = position
        self.customers = customers
        self.before = before
        self.after = after
    }

    /// `backfill` for a change that took effect more than 24 hours before it was recorded, else `live`.
    package var mode: String { Self.mode(effectiveAt: effectiveAt, recordedAt: recordedAt) }

    package static func mode(effectiveAt: Instant, recordedAt: Instant) -> String {
        effectiveAt < recordedAt.advanced(byMilliseconds: -Instant.millisecondsPerDay) ? "backfill" : "live"
    }
}

extension TransitionRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "sequence": JSONValue(position: sequence), "recordedAt": JSONValue(recordedAt),
            "effectiveAt": JSONValue(effectiveAt), "mode": .string(mode),
            "change": .array(change.map { .string($0) }), "cause": .string(cause),
            "position": JSONValue(position: position), "customers": .array(customers.map { .string($0) }),
            "before": before, "after": after,
        ])
    }
}
