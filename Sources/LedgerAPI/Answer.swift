package import Primitives

/// An answer about subscriptions: the requested instant and knowledge, and rows ordered by key.
package struct Answer<Row: JSONRepresentable>: JSONRepresentable {
    package var asOf: Instant
    /// The number of events on which the answer is based.
    package var knownAt: UInt64
    package var subscriptions: [Row]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?

    package init(asOf: Instant, knownAt: UInt64, subscriptions: [Row]) {
        self.asOf = asOf
        self.knownAt = knownAt
        self.subscriptions = subscriptions
    }

    package var json: JSONValue {
        .object(signed.members(asOf: asOf, knownAt: knownAt) + [.init("subscriptions", subscriptions.json)])
    }
}

extension Answer: Equatable where Row: Equatable {}
extension Answer: Hashable where Row: Hashable {}

/// The history of one subscription.
package struct SubscriptionHistoryRow: Hashable, Sendable {
    package var id: SubscriptionID
    /// Ordered by time.
    package var transitions: [HistoryRow]

    package init(id: SubscriptionID, transitions: [HistoryRow]) {
        self.id = id
        self.transitions = transitions
    }
}

extension SubscriptionHistoryRow: JSONRepresentable {
    package var json: JSONValue {
        .object(id.members + [.init("transitions", transitions.json)])
    }
}

package typealias StateAnswer = Answer<SubscriptionRow>
package typealias HistoryAnswer = Answer<SubscriptionHistoryRow>
