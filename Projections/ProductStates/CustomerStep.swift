import AppStoreModel
package import LedgerModel
package import Primitives
import SubscriptionStatus

/// A step by which a customer keeps or regains service, with its value.
package struct CustomerStep: Hashable, Sendable {
    /// The most urgent first.
    package enum Action: String, Sendable, CaseIterable {
        case fixBilling, consentToPrice, offerDowngrade, buy, offerWinBack, resubscribe
    }

    package let action: Action
    package let key: SubscriptionKey
    /// The product of the subscription or trial.
    package let productId: Symbol?
    /// The products to offer: those of a lower level of service, highest first, or the product that a trial unlocks.
    package let products: [Symbol]
    /// The win-back offers, best first.
    package let offerIds: [String]
    /// The instant by which the step has to be taken; nil without one.
    package let until: Instant?
    /// The price of the next renewal or, without one, the standard price that the customer paid last; nil if unknown.
    package let price: TransactionFact.Price?
    /// The entitlements that end without the step, or that it brings back, in the order of the catalogue.
    package let entitlements: [Symbol]

    /// Apple's page outside the app for the step; nil for a step inside the app.
    /// https://developer.apple.com/documentation/storekit/reducing-involuntary-subscriber-churn
    package var url: String? {
        switch action {
        case .fixBilling: "https://apps.apple.com/account/billing"
        case .consentToPrice, .offerDowngrade, .offerWinBack, .resubscribe:
            "https://apps.apple.com/account/subscriptions"
        case .buy: nil
        }
    }

    /// Returns the whole days from `t` to the end of the step; nil without an end.
    package func daysLeft(at t: Instant) -> Int64? {
        until.map { max(0, ($0.milliseconds - t.milliseconds) / 86_400_000) }
    }
}

extension CustomerProducts {
    /// The steps of the customer, the most urgent first: those of subscriptions that end unless something is done, then
    /// those that bring service back. A subscription that ended has a step only if nothing of its group is active.
    package var steps: [CustomerStep] {
        let lapsed = lapsed
        return states.compactMap { step(of: $0, lapsed) }
            .sorted { left, right in
                let ranks = (left.action.rank, right.action.rank)
                guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 }
                return (left.until ?? .latest, left.key) < (right.until ?? .latest, right.key)
            }
    }

    /// The step for the customer as a whole: the most urgent. An entitled customer is not asked to come back.
    package var nextStep: CustomerStep.Action? {
        .mostUrgent(of: steps.map(\.action), isEntitled: isEntitled)
    }

    /// The subscriptions of groups in which nothing is active, and whether each is the newest of its group.
    private var lapsed: [SubscriptionKey: Bool] {
        let groups = Dictionary(grouping: states) { state in
            state.subscriptionGroupIdentifier.map { Rival.group(state.key.bundle, $0) } ?? .key(state.key)
        }
        return groups.values.reduce(into: [:]) { lapsed, states in
            guard !states.contains(where: \.entitled) else { return }
            let newest = states.max { ($0.purchasedAt, $0.key) < ($1.purchasedAt, $1.key) }
            for state in states { lapsed[state.key] = state.key == newest?.key }
        }
    }

    /// Subscriptions of which a customer has one at a time: those of a group, or one whose group is not known.
    private enum Rival: Hashable {
        case group(Symbol, Symbol)
        case key(SubscriptionKey)
    }

    private func step(of state: SubscriptionState, _ lapsed: [SubscriptionKey: Bool]) -> CustomerStep? {
        let retryEnd = state.billingIssueSince.flatMap { since in
            state.key.environment == .production ? since.advanced(byMilliseconds: 60 * 86_400_000) : nil
        }
        switch state.nextStep {
        case .fixBilling: return step(.fixBilling, state, until: state.accessUntil ?? retryEnd)
        case .consentToPrice: return step(.consentToPrice, state, until: state.expiresAt)
        case .offerWinBack: return lapsed[state.key] == nil ? nil : step(.offerWinBack, state, until: nil)
        case .resubscribe: return lapsed[state.key] == true ? step(.resubscribe, state, until: nil) : nil
        case .none:
            if let trial = trial(of: state) { return trial }
            let lower = lowerProducts(than: state)
            return lower.isEmpty ? nil : step(.offerDowngrade, state, products: lower, until: state.accessUntil)
        }
    }

    private func step(
        _ action: CustomerStep.Action, _ state: SubscriptionState, products: [Symbol] = [], until: Instant?
    ) -> CustomerStep {
        let standard = state.offer == nil ? state.price : nil
        return CustomerStep(
            action: action, key: state.key, productId: state.productId, products: products,
            offerIds: action == .offerWinBack ? state.offerIds : [], until: until,
            price: action == .buy ? nil : state.renewalPrice ?? standard, entitlements: entitlementsAtStake(state))
    }

    /// Returns the step of a trial of an app without subscriptions; nil for other products, and once the customer has
    /// the product that it unlocks.
    private func trial(of state: SubscriptionState) -> CustomerStep? {
        guard let id = state.productId,
            let unlocks = shelf.product(ProductName(state.key.bundle, id), at: shelf.t)?.trial?.unlocks,
            !products.contains(where: { $0.product == ProductName(state.key.bundle, unlocks) && $0.state == .active })
        else { return nil }
        let end = trials[ProductName(state.key.bundle, id)].flatMap { $0 > shelf.t ? $0 : nil }
        return step(.buy, state, products: [unlocks], until: end)
    }

    /// Returns the products of a lower level of service in the group of a subscription that will not renew.
    ///
    /// Catalogues have no prices of products. A move to a lower level is Apple's downgrade.
    /// https://developer.apple.com/app-store/subscriptions/
    private func lowerProducts(than state: SubscriptionState) -> [Symbol] {
        guard state.status == .active, state.willRenew == false, state.ownership != .familyShared,
            let id = state.productId, let history = shelf.catalogs[state.key.bundle],
            let product = history.product(id, at: shelf.t), let level = product.level, let group = product.group
        else { return [] }
        return history.productIds.compactMap { history.product($0, at: shelf.t) }
            .filter { $0.group == group && ($0.level ?? level) > level }
            .sorted { ($0.level ?? level, $0.id.text) < ($1.level ?? level, $1.id.text) }
            .map(\.id)
    }

    /// Returns the entitlements of a row's product that no other purchase, download or grant gives.
    private func entitlementsAtStake(_ state: SubscriptionState) -> [Symbol] {
        guard let id = state.productId else { return [] }
        return shelf.entitlements(of: ProductName(state.key.bundle, id)).filter { name in
            guard let held = entitlements.first(where: { $0.id == name }) else { return true }
            return held.because == [state.key] && held.downloads.isEmpty && held.grants.isEmpty
        }
    }
}

extension CustomerStep.Action {
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Returns the most urgent of some actions; nil without one.
    /// - Parameter isEntitled: whether anything entitles the customer, who is then not asked to come back.
    package static func mostUrgent(of actions: [Self], isEntitled: Bool) -> Self? {
        let candidates: [Self] =
            isEntitled
            ? [.fixBilling, .consentToPrice, .offerDowngrade]
            : [.fixBilling, .consentToPrice, .offerWinBack, .resubscribe]
        return candidates.first(where: actions.contains)
    }
}
