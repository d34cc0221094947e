import AppStoreModel
package import LedgerModel
package import Primitives
package import SubscriptionStatus

/// The purchases of one subscriber that retention, churn and revenue count together, as of an instant.
///
/// Family-shared and implied purchases do not count.
package struct PurchaseUnit: Sendable {
    /// The purchases that count as one subscription.
    package enum Scope: Sendable {
        /// Those of a lineage in one subscription group.
        case group
        /// Those of a key, of one product.
        case product
    }

    /// The name of a unit: that of its lineage, and what divides the lineage.
    package struct ID: Hashable, Sendable {
        /// The first key of the lineage.
        package let lineage: SubscriptionKey
        package let group: Symbol?
        /// The key, where it divides the lineage.
        package let key: SubscriptionKey?
        /// The product, where it divides the key.
        package let productId: Symbol?
    }

    package let id: ID
    /// The purchases begun, oldest first. Never empty.
    package let purchases: [SubscriptionPurchase]
    /// The time that renewal infos imply without a known purchase.
    package let implied: [Range<Instant>]
    /// The states of the keys under the default rules of access, ordered by key. Of a product, only that of its key while
    /// the key has the product.
    package let states: [SubscriptionState]
    /// Whether earlier purchases may be missing.
    package let isHistoryIncomplete: Bool
    package let asOf: Instant
}

extension PurchaseUnit {
    /// The subscription group; nil if it is not known.
    package var group: Symbol? { id.group }

    /// A gap after a paid purchase that a renewal may still close.
    package struct OpenGap: Hashable, Sendable {
        package enum Kind: Sendable { case awaitingRenewal, grace, retry }

        /// The end of the purchase before the gap.
        package let start: Instant
        package let kind: Kind
    }

    /// The gaps after paid purchases that are still open.
    package var openGaps: [OpenGap] {
        states.compactMap { state in
            guard let kind = OpenGap.Kind(state),
                let last = purchases.last(where: { $0.key == state.key && $0.transactionId == state.transactionId }),
                last.isPaid
            else { return nil }
            return OpenGap(start: last.end, kind: kind)
        }
    }

    /// Whether a key is active, in grace or in retry.
    package var isSubscribed: Bool {
        states.contains { [.active, .gracePeriod, .billingRetry].contains($0.status) }
    }

    /// Whether no source states who bought one of the purchases.
    package var isOwnershipInferred: Bool { purchases.contains(where: \.isOwnershipInferred) }
}

extension PurchaseUnit.OpenGap.Kind {
    fileprivate init?(_ state: SubscriptionState) {
        switch state.status {
        case .active where state.reason == .awaitingRenewal: self = .awaitingRenewal
        case .gracePeriod: self = .grace
        case .billingRetry: self = .retry
        default: return nil
        }
    }
}

extension [Lineage] {
    /// Returns the units of some lineages that Apple accounts join, ordered by their first keys.
    package func purchaseUnits(
        by scope: PurchaseUnit.Scope, at t: Instant, catalogs: [Symbol: CatalogHistory]
    ) -> [PurchaseUnit] {
        // No access rule changes a number of retention, churn or revenue.
        let states = Dictionary(states(at: t, rules: Rules()).map { ($0.key, $0) }) { first, _ in first }
        return flatMap { $0.purchaseUnits(by: scope, at: t, states, catalogs) { _ in true } }
    }

    /// Returns the units by group with the purchases that serve at `t` or may be in grace then, and without states.
    /// Units without such purchases are omitted.
    package func purchaseUnitsInService(at t: Instant, catalogs: [Symbol: CatalogHistory]) -> [PurchaseUnit] {
        flatMap { $0.purchaseUnits(by: .group, at: t, [:], catalogs) { $0.mayServe(at: t) } }
    }
}

extension Lineage {
    fileprivate func purchaseUnits(
        by scope: PurchaseUnit.Scope, at t: Instant, _ states: [SubscriptionKey: SubscriptionState],
        _ catalogs: [Symbol: CatalogHistory], where isIncluded: (Period) -> Bool
    ) -> [PurchaseUnit] {
        var found: [PurchaseUnit.ID] = []
        var members: [[UnitPeriod]] = []
        for (index, subscription) in subscriptions.enumerated() {
            let catalog = catalogs[subscription.key.bundle]
            for period in subscription.periods where period.isBought(by: t) {
                let product = period.productId.flatMap { catalog?.product($0, at: period.start) }
                let id = PurchaseUnit.ID(period, of: subscription, in: self, product, scope)
                let member = UnitPeriod(period: period, subscription: index, product: product)
                if let unit = found.firstIndex(of: id) {
                    members[unit].append(member)
                } else {
                    found.append(id)
                    members.append([member])
                }
            }
        }
        return zip(found, members).compactMap { id, members in
            PurchaseUnit(id, members, of: self, at: t, states, where: isIncluded)
        }
    }
}

extension PurchaseUnit.ID {
    fileprivate init(
        _ period: Period, of subscription: Subscription, in lineage: Lineage, _ product: CatalogProduct?,
        _ scope: PurchaseUnit.Scope
    ) {
        self.lineage = lineage.subscriptions[0].key
        group =
            period.subscriptionGroupIdentifier ?? product?.group ?? subscription.subscriptionGroupIdentifiers.first
        switch scope {
        case .group: (key, productId) = (nil, nil)
        case .product: (key, productId) = (subscription.key, period.productId)
        }
    }
}

private struct UnitPeriod {
    let period: Period
    /// The number of its subscription in the lineage.
    let subscription: Int
    let product: CatalogProduct?
}

extension PurchaseUnit {
    /// Returns nil without a known purchase.
    fileprivate init?(
        _ id: PurchaseUnit.ID, _ members: [UnitPeriod], of lineage: Lineage, at t: Instant,
        _ states: [SubscriptionKey: SubscriptionState], where isIncluded: (Period) -> Bool
    ) {
        // The sort is stable: of equal ones, the first key comes first.
        let known = members.filter(\.period.isKnown).sorted { $0.period.isOlder(than: $1.period) }
        let periods = known.map(\.period)
        purchases = known.compactMap { member in
            guard isIncluded(member.period), let end = member.period.end(at: t) else { return nil }
            return SubscriptionPurchase(
                member.period, of: lineage.subscriptions[member.subscription], endingAt: end, at: t,
                duration: CalendarPeriod(of: member.period, member.product, among: periods), member.product)
        }
        guard !purchases.isEmpty else { return nil }
        self.id = id
        implied = members.compactMap { member in
            guard !member.period.isKnown, let end = member.period.end(at: t), member.period.start < end else {
                return nil
            }
            return member.period.start..<end
        }
        // The members are in the order of their keys.
        var last: Int?
        self.states = members.compactMap { member in
            guard member.subscription != last else { return nil }
            last = member.subscription
            return states[lineage.subscriptions[member.subscription].key]
        }
        .filter { id.key == nil || $0.productId == id.productId }
        isHistoryIncomplete = lineage.isHistoryIncomplete
        asOf = t
    }
}

extension Period {
    /// Whether the account bought a subscription, or is implied to have bought it, by `t`.
    fileprivate func isBought(by t: Instant) -> Bool {
        start <= t && (type ?? .autoRenewable) == .autoRenewable && hasEnd && inAppOwnershipType != .familyShared
    }
}

extension Period {
    /// Whether the period serves at `t`, or a grace period may go on after it.
    fileprivate func mayServe(at t: Instant) -> Bool {
        guard let end = end(at: t) else { return false }
        return end.advanced(byMilliseconds: Self.longestGraceDays * Instant.millisecondsPerDay) > t
            || renewalInfos.contains { $0.value.gracePeriodExpiresDate.map { $0 > t } ?? false }
    }
}
