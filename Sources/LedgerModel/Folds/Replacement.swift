import AppStoreModel
package import Primitives

/// An upgrade, a bundle or a migration put another purchase in a period's place. Never a refund, never churn.
package struct Replacement: Hashable, Sendable {
    /// The instant from which it counts.
    package let start: Instant
    /// The statements of the purchase that takes the place.
    package let sources: [Source]
}

extension Lineage {
    /// Sets the replacements, which need the other keys of the lineage.
    static func replacing(_ subscriptions: [Subscription]) -> [Subscription] {
        subscriptions.map { subscription in
            let migration = Replacement(byMigrationOf: subscription.key, in: subscriptions)
            var replaced = subscription
            for index in replaced.periods.indices {
                let period = subscription.periods[index]
                let successor =
                    period.mayBeReplaced
                    ? period.replacement(in: [subscription]) ?? period.replacement(in: subscriptions) : nil
                if successor != nil { replaced.periods[index].revocations = period.revocationsBesideReplacement }
                let candidates = [successor, migration.flatMap { period.isEnded(by: $0) ? $0 : nil }]
                replaced.periods[index].replacement = candidates.compactMap(\.self).min { $0.start < $1.start }
            }
            return replaced
        }
    }
}

extension Replacement {
    /// Migration ends the old key: its periods are replaced from the first purchase of the key that names it.
    init?(byMigrationOf key: SubscriptionKey, in subscriptions: [Subscription]) {
        let successors = subscriptions.filter {
            $0.key != key && $0.previousOriginalTransactionIds.contains(key.originalTransactionId)
        }
        guard let first = successors.flatMap(\.periods).filter(\.isKnown).min(by: { $0.isOlder(than: $1) }) else {
            return nil
        }
        self.init(start: first.start, sources: first.sources)
    }
}

extension Period {
    /// Whether it began, or was charged, before the migration.
    fileprivate func isEnded(by migration: Replacement) -> Bool {
        start < migration.start || firstStatedAt <= migration.start
    }

    /// Marked isUpgraded, or revoked for a reason that Apple does not document: then a later purchase that begins
    /// before the end replaces it. Without such a purchase a revocation is a revocation.
    fileprivate var mayBeReplaced: Bool {
        guard isKnown, type == .autoRenewable || type == nil else { return false }
        return isMarkedUpgraded || revocations.contains { !$0.hasRefundReason }
    }

    /// A revocation of a purchase marked isUpgraded is the upgrade. One replaced for an unknown reason may be refunded
    /// besides.
    fileprivate var revocationsBesideReplacement: [Revocation] {
        isMarkedUpgraded ? [] : revocations.filter(\.hasRefundReason)
    }

    /// The replacement by the first later purchase that begins before this one's end: from its start where that is
    /// within 60 seconds of the revocationDate or there is none, else from the smaller of the two.
    fileprivate func replacement(in subscriptions: [Subscription]) -> Replacement? {
        let end = latestEnd ?? .latest
        let later = subscriptions.flatMap(\.periods).filter { other in
            other.isKnown && other.start < end && (isOlder(than: other) || isOutranked(by: other, at: .latest))
        }
        guard let successor = later.min(by: { $0.isOlder(than: $1) }) else { return nil }
        var start = successor.start
        let revokedAt = revocations.filter { isMarkedUpgraded || !$0.hasRefundReason }.map(\.start).min()
        if let revokedAt, !start.isWithinAMinute(of: revokedAt) { start = min(start, revokedAt) }
        return Replacement(start: start, sources: successor.sources)
    }
}

extension Instant {
    fileprivate func isWithinAMinute(of other: Instant) -> Bool {
        advanced(byMilliseconds: Self.millisecondsPerMinute) >= other
            && other.advanced(byMilliseconds: Self.millisecondsPerMinute) >= self
    }
}
