package import Primitives

/// One change of a subscription's answer: a row of the transitions feed.
package struct TransitionRow: Hashable, Sendable {
    /// 0, 1, 2 … without gaps over all environments.
    package var sequence: UInt64
    /// The time from which the ledger answers so.
    package var recordedAt: Instant
    /// The time from which the state applies; never after `recordedAt`.
    package var effectiveAt: Instant
    /// The words of contracts §1, in their order there.
    package var change: [String]
    /// `notificationType[/subtype]`, `transaction`, `renewalInfo`, `time`, or the kind of a customers' event.
    package var cause: String
    /// The newest event that was known.
    package var position: UInt64
    /// The ids of the owners at `effectiveAt`, as they are known when the row is read: every id and appAccountToken of
    /// a customer, else the handle.
    package var customers: [String]
    /// The `SubscriptionRow` just before `effectiveAt`; null where there was none.
    package var before: JSONValue
    /// The `SubscriptionRow` at `effectiveAt`; null when what was stated of the subscription no longer makes a row.
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
    package var mode: String {
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
