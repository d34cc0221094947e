import AppStoreModel
package import Primitives

/// The replacement of a period by another purchase, after an upgrade, a bundle or a migration. Never a refund or churn.
package struct Replacement: Hashable, Sendable {
    /// The instant from which the replacement counts.
    package let start: Instant
    /// The statements of the replacing purchase.
    package let sources: [Source]
}

extension Lineage {
    /// Returns the subscriptions with their replacements, which depend on the other keys of the lineage.
    static func replacing(_ subscriptions: [Subscription]) -> [Subscription] {
        guard subscriptions.count > 1 || subscriptions.contains(where: \.mayHaveReplacements) else {
            return subscriptions
        }
        return subscriptions.map { subscription in
            let migration = Replacement(byMigrationOf: subscription.key, in: subscriptions)
            var replaced = subscription
            for (index, period) in subscription.periods.enumerated() where period.mayBeReplaced || migration != nil {
                let successor =
                    period.mayBeReplaced
                    ? period.replacement(in: [subscription]) ?? period.replacement(in: subscriptions) : nil
                let candidates = [successor, migration.flatMap { period.isEnded(by: $0) ? $0 : nil }]
                replaced.periods[index].update { content in
                    if let successor { content.revocations = period.revocations(beside: successor) }
                    content.replacement = candidates.compactMap(\.self).min { $0.start < $1.start }
                }
            }
            return replaced
        }
    }
}

extension Subscription {
    fileprivate var mayHaveReplacements: Bool { periods.contains(where: \.mayBeReplaced) }
}

extension Replacement {
    /// Creates the replacement of a migrated key's periods, from the first purchase of a key that names it as its
    /// predecessor.
    init?(byMigrationOf key: SubscriptionKey, in subscriptions: [Subscription]) {
        guard subscriptions.count > 1 else { return nil }
        let successors = subscriptions.filter {
            $0.key != key && $0.previousOriginalTransactionIds.contains(key.originalTransaction)
        }
        guard let first = successors.flatMap(\.periods).filter(\.isKnown).min(by: { $0.isOlder(than: $1) }) else {
            return nil
        }
        self.init(start: first.start, sources: first.sources)
    }
}

extension Period {
    /// Whether the period began, or was charged, before the migration.
    fileprivate func isEnded(by migration: Replacement) -> Bool {
        start < migration.start || firstStatedAt <= migration.start
    }

    /// Whether a later purchase that begins before the end may replace the period: it is marked isUpgraded, or revoked
    /// for a reason that Apple does not document, or by a source that cannot tell. Without such a purchase, the
    /// revocation remains.
    fileprivate var mayBeReplaced: Bool {
        guard isMarkedUpgraded || revocations.contains(where: { !$0.hasRefundReason || $0.mayBeReplacement }) else {
            return false
        }
        return isKnown && (type == .autoRenewable || type == nil)
    }

    /// Returns the revocations that remain beside a replacement. The revocation of a purchase marked isUpgraded is the
    /// upgrade itself, unless Apple names it a refund and dates it later. A purchase replaced for an unknown reason may
    /// also be refunded.
    fileprivate func revocations(beside replacement: Replacement) -> [Revocation] {
        guard isMarkedUpgraded else {
            return revocations.filter { revocation in
                revocation.hasRefundReason
                    && !(revocation.mayBeReplacement && revocation.start.isWithinAMinute(of: replacement.start))
            }
        }
        return revocations.filter { revocation in
            revocation.isNamedRefund && replacement.start < revocation.start
                && !replacement.start.isWithinAMinute(of: revocation.start)
        }
    }

    /// Returns the replacement by the first later purchase that begins before this period ends. It starts with that
    /// purchase if there is no revocationDate or the two are within 60 seconds, else at the earlier of the two. Where no
    /// source tells a refund from a replacement, only a purchase within 60 seconds replaces.
    fileprivate func replacement(in subscriptions: [Subscription]) -> Replacement? {
        let end = latestEnd ?? .latest
        let later = subscriptions.flatMap(\.periods).filter { other in
            other.isKnown && other.start < end && (isOlder(than: other) || isOutranked(by: other, at: .latest))
        }
        let isStated = isMarkedUpgraded || revocations.contains { !$0.hasRefundReason }
        let candidates = isStated ? later : later.filter { isRevoked(for: $0) }
        guard let successor = candidates.min(by: { $0.isOlder(than: $1) }) else { return nil }
        var start = successor.start
        let revokedAt = revocations.filter { isMarkedUpgraded || !$0.hasRefundReason }.map(\.start).min()
        if let revokedAt, !start.isWithinAMinute(of: revokedAt) { start = min(start, revokedAt) }
        return Replacement(start: start, sources: successor.sources)
    }
}

extension Period {
    /// Whether a source that cannot tell a refund from a replacement revokes the period when another begins.
    func isRevoked(for other: Period) -> Bool {
        revocations.contains { $0.mayBeReplacement && $0.start.isWithinAMinute(of: other.start) }
    }
}

extension Instant {
    fileprivate func isWithinAMinute(of other: Instant) -> Bool {
        advanced(byMilliseconds: Self.millisecondsPerMinute) >= other
            && other.advanced(byMilliseconds: Self.millisecondsPerMinute) >= self
    }
}
