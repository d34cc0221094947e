import AppStoreModel
package import Primitives

/// An upgrade, a bundle or a migration put another purchase in a period's place. Never a refund, never churn.
package struct Replacement: Hashable, Sendable {
    /// When it is in force from: the next transaction's purchaseDate.
    package let start: Instant
    /// Who states the next transaction.
    package let sources: [Source]
}

extension TransactionFact {
    /// Apple's own words, or a revocation for a reason that is no refund (0, 1).
    var isReplaced: Bool {
        if isUpgraded { return true }
        guard let reason = revocation?.revocationReason else { return false }
        return reason != .other && reason != .appIssue
    }
}

extension Lineage {
    /// Sets the replacements, which can be told only beside the other keys of the lineage.
    static func replacing(_ subscriptions: [Subscription]) -> [Subscription] {
        let everyPeriod = subscriptions.flatMap(\.periods).filter(\.isKnown)
        return subscriptions.map { subscription in
            let migration = Replacement(byMigrationOf: subscription.key, in: subscriptions)
            let ownPeriods = subscription.periods.filter(\.isKnown)
            var replaced = subscription
            for index in replaced.periods.indices {
                let period = replaced.periods[index]
                let next = period.isMarkedReplaced ? period.next(in: ownPeriods) ?? period.next(in: everyPeriod) : nil
                let candidates = [
                    next.map { Replacement(start: $0.start, sources: $0.sources) },
                    migration.flatMap { period.start < $0.start ? $0 : nil },
                ]
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
    /// The period that begins after this one in `periods`.
    func next(in periods: [Period]) -> Period? {
        periods.filter { self.isOlder(than: $0) }.min { $0.isOlder(than: $1) }
    }
}
