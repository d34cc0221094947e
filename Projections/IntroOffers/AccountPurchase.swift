package import AppStoreModel
package import LedgerModel
package import Primitives
import SubscriptionStatus

/// A subscription group of an app.
package struct SubscriptionGroup: Hashable, Sendable {
    package let bundleId: Symbol
    /// Apple's subscriptionGroupIdentifier.
    package let id: Symbol

    package init(_ bundleId: Symbol, _ id: Symbol) {
        (self.bundleId, self.id) = (bundleId, id)
    }
}

/// A purchase of a subscription by one of a customer's Apple accounts. What a family member shares is not bought.
package struct AccountPurchase: Hashable, Sendable {
    package let key: SubscriptionKey
    /// Nil for a purchase that only a renewal info implies.
    package let transactionId: AppleID?
    package let productId: Symbol?
    /// The group that the transaction states, else that of the catalogue; nil if neither is known.
    package let group: SubscriptionGroup?
    package let start: Instant
    package let price: TransactionFact.Price?
    /// Whether the purchase is known to have no offer.
    package let isStandard: Bool
    /// Whether the purchase has the introductory offer. A refund, an upgrade or a migration does not undo that.
    package let consumes: Bool
    /// Whether the purchase is the newest of its key, and the key is active, in grace or in retry.
    package let isSubscribed: Bool
    package let isHistoryIncomplete: Bool
    /// The position of the event that first stated the purchase.
    package let position: Position
}

/// A subscription that had begun, of which no purchase begun by the instant is known.
struct MissingHistory: Sendable {
    private let bundleId: Symbol
    /// Nil if it is not known.
    private let group: Symbol?

    /// - Parameter subscription: a subscription of which the first purchases are missing.
    /// - Returns: nil if it began after `t`, if a purchase begun by `t` is known, and for what was shared.
    init?(_ subscription: Subscription, at t: Instant, _ catalogs: [Symbol: CatalogHistory]) {
        let purchases = subscription.periods.filter(subscription.isPurchase)
        guard let first = purchases.first, !purchases.contains(where: { $0.start <= t }),
            subscription.originalPurchaseDate.map({ $0 <= t }) ?? true
        else { return nil }
        bundleId = subscription.key.bundle
        group =
            purchases.lazy.compactMap(\.subscriptionGroupIdentifier).first
            ?? first.productId.flatMap { catalogs[subscription.key.bundle]?.product($0, at: t)?.group }
    }

    func mayBelong(to other: SubscriptionGroup) -> Bool {
        bundleId == other.bundleId && group.map { $0 == other.id } ?? true
    }
}

extension Subscription {
    /// Returns the purchases that began by `t`, in the order of purchase.
    /// - Parameter row: the row of the subscription at `t`; nil if nothing had begun.
    func purchases(
        at t: Instant, _ row: SubscriptionState?, _ lineage: Lineage, _ catalogs: [Symbol: CatalogHistory]
    ) -> [AccountPurchase] {
        let begun = periods.filter { $0.start <= t && isPurchase($0) }
        let isSubscribed = row.map { row in
            row.ownership != .familyShared && [.active, .gracePeriod, .billingRetry].contains(row.status)
        }
        return begun.indices.map { index in
            let period = begun[index]
            let group =
                period.subscriptionGroupIdentifier
                ?? period.productId.flatMap { catalogs[key.bundle]?.product($0, at: t)?.group }
                ?? row?.subscriptionGroupIdentifier
            return AccountPurchase(
                key: key, transactionId: period.transactionId, productId: period.productId,
                group: group.map { SubscriptionGroup(key.bundle, $0) }, start: period.start, price: period.price,
                isStandard: period.isKnown && period.offer == nil,
                consumes: period.offer?.offerType == .introductory,
                isSubscribed: isSubscribed == true && index == begun.indices.last,
                isHistoryIncomplete: lineage.isHistoryIncomplete, position: period.firstPosition)
        }
    }

    /// Whether a period is a purchase of a subscription. An implied one is, unless all that is known was shared.
    func isPurchase(_ period: Period) -> Bool {
        guard period.type.map({ $0 == .autoRenewable }) ?? true, period.inAppOwnershipType != .familyShared else {
            return false
        }
        return period.isKnown || !periods.contains { $0.inAppOwnershipType == .familyShared }
    }
}

extension Period {
    /// The position of the first statement of the period, or of the renewal info that implies it.
    fileprivate var firstPosition: Position {
        firstSource?.position ?? renewalInfos.first?.source.position ?? 0
    }
}
