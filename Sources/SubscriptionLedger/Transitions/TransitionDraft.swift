import LedgerModel
import Primitives
import SubscriptionStatus

/// A row of the feed that is not yet stored.
struct TransitionDraft: Sendable {
    let key: SubscriptionKey
    let recordedAt: Instant
    let effectiveAt: Instant
    var change: [ChangeWord]
    let cause: String
    /// The position of the event; nil when time alone causes the row.
    let position: Position?
    let owners: Set<Ownership.Owner>
    /// The states just before `effectiveAt` and at it.
    let before: SubscriptionState?
    let after: SubscriptionState?
    /// The fingerprint of the state after the row; nil when the row does not change the state.
    let held: UInt128?
    /// The place of the row among those of the same event and key.
    var ordinal: UInt32 = 0
    /// The subscription's number in the order in which an activation of rules reviews them; 0 for other events.
    var review: UInt128 = 0
}

extension TransitionDraft {
    /// Whether the subscription no longer has a state.
    var isWithdrawal: Bool { after == nil }

    /// Appends the place of the row in the feed: rows that time causes follow the events recorded at their instant.
    func appendOrder(to bytes: inout [UInt8]) {
        bytes += recordedAt.orderedBytes
        guard let position else {
            bytes.append(1)
            bytes += AnnouncedSubscription(key: key).dueOrder
            return
        }
        bytes.append(0)
        bytes += position.bigEndianBytes + review.bigEndianBytes + effectiveAt.orderedBytes
        key.appendOrdered(to: &bytes)
        bytes += ordinal.bigEndianBytes
    }

    /// Whether the row precedes another one of the same event.
    func precedes(_ other: TransitionDraft) -> Bool {
        (effectiveAt, key, ordinal) < (other.effectiveAt, other.key, other.ordinal)
    }
}

extension Instant {
    /// The bytes whose order is that of instants.
    var orderedBytes: [UInt8] { (UInt64(bitPattern: milliseconds) ^ 1 << 63).bigEndianBytes }
}
