package import LedgerModel
package import PaidService
package import Primitives

/// A paying subscriber who left.
package struct ChurnEpisode: Sendable {
    /// The purchase that ended last.
    package let purchase: SubscriptionPurchase
    package let churnClass: ChurnClass
    /// The end of the last paid service, or the revocationDate.
    package let endedAt: Instant
    /// The instant from which the subscriber is gone: later than the end while Apple retries a charge.
    package let churnedAt: Instant
    /// The start of the next purchases; nil while the subscriber is gone.
    package let reactivatedAt: Instant?
}

extension PurchaseUnit {
    /// Each time the subscriber left after paying, oldest first. Replaced purchases, and those continued by a recovered
    /// renewal, are not departures.
    package func churnEpisodes(_ rules: Rules.Churn) -> [ChurnEpisode] {
        let stays = Stay.all(in: self)
        return stays.indices.compactMap { index in
            // A return for a free period alone does not end the departure.
            let next = stays.indices[(index + 1)...].first { later in
                let stay = stays[later]
                return stay.paidUntil != nil || stay.end > asOf || isSubscribed && later == stays.indices.last
            }
            .map { stays[$0] }
            return ChurnEpisode(stays[index], before: next, of: self, rules)
        }
    }
}

extension ChurnEpisode {
    fileprivate init?(_ stay: Stay, before next: Stay?, of unit: PurchaseUnit, _ rules: Rules.Churn) {
        guard let end = stay.paidUntil, next != nil || !unit.isSubscribed else { return nil }
        purchase = stay.last
        churnClass = ChurnClass(of: purchase)
        endedAt = end
        let gone = churnClass.isInvoluntary ? purchase.gone(rules) : end
        let back = next?.purchases[0].start
        // A subscriber who bought again during retry never left.
        guard gone <= unit.asOf, back.map({ gone < $0 }) ?? true, !purchase.isReplaced(by: gone) else { return nil }
        churnedAt = gone
        reactivatedAt = back
    }
}

extension SubscriptionPurchase {
    /// Whether another purchase took its place by an instant, also one that is not known.
    fileprivate func isReplaced(by t: Instant) -> Bool {
        replacedAt != nil || isMarkedUpgraded || supersededAt.map { $0 <= t } ?? false
    }

    /// The instant from which a failed renewal will not be recovered: Apple signed the expiry or that auto-renew is off,
    /// or the days of retry are over.
    func gone(_ rules: Rules.Churn) -> Instant {
        let limit = end.advanced(byMilliseconds: Int64(rules.retryDays) * Instant.millisecondsPerDay)
        return [ending.expirySignedAt, ending.autoRenewOffSignedAt, limit].compactMap { $0 }.filter { $0 >= end }.min()
            ?? limit
    }
}
