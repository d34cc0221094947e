import AppStoreModel
import Primitives

extension LiveStore {
    /// Buys a product now: a subscription, another plan of a running one, an offer for it, or anything else.
    /// - Returns: the id of the new transaction; for what the account owns already, that of its transaction.
    package mutating func purchase(
        _ productId: String, by account: AccountID, offer: OfferChoice? = nil, quantity: Int64 = 1
    ) throws(ImpossibleAct) -> String {
        let store = store(of: account)
        guard let product = configuration.catalog.products.first(where: { $0.id == productId }) else {
            throw ImpossibleAct(reason: "the app has no product \(productId)")
        }
        guard !store.withdrawnProductIds.contains(productId) else {
            throw ImpossibleAct(reason: "\(productId) is no longer for sale")
        }
        guard !store.customers[account.customer.index].billingFails || product.price == 0 else {
            throw ImpossibleAct(reason: "the payment was declined")
        }
        let chosen = try Self.offer(offer, of: product)
        guard let group = product.group else { return buyOnce(product, by: account, quantity: quantity) }
        if let id = store.subscription(of: account.customer, inGroup: group) {
            switch store[id].phase {
            case .active: return try change(id, to: product, chosen, by: account)
            case .gracePeriod, .billingRetry:
                throw ImpossibleAct(reason: "the subscription waits for its payment: fix billing first")
            case .expired, .revoked:
                guard store[id].newest.purchaseDate <= now else {
                    throw ImpossibleAct(reason: "the next period is charged already")
                }
            }
        }
        if chosen?.type == .introductory, store.customers[account.customer.index].introConsumed[group] != nil {
            throw ImpossibleAct(reason: "the introductory offer of group \(group) is used up")
        }
        return act(on: account) { store, now in
            let id = store.buy(productId, by: account.customer, offer: offer, at: now)
            return store[id].newest.transactionId
        }
    }

    private static func offer(
        _ choice: OfferChoice?, of product: StoreProduct
    ) throws(ImpossibleAct) -> StoreOffer? {
        switch choice {
        case nil: return nil
        case .introductory:
            if let offer = product.introductoryOffer { return offer }
            throw ImpossibleAct(reason: "\(product.id) has no introductory offer")
        case .named(let id):
            if let offer = product.offers.first(where: { $0.id == id }) { return offer }
            throw ImpossibleAct(reason: "\(product.id) has no offer \(id)")
        }
    }

    private mutating func buyOnce(_ product: StoreProduct, by account: AccountID, quantity: Int64) -> String {
        let purchases = store(of: account).purchases
        let owned = purchases.lastIndex {
            $0.origin.customer == account.customer && $0.charge.product.id == product.id
        }
        if product.type == .nonConsumable, let owned {
            if purchases[owned].charge.revocation == nil { return purchases[owned].charge.transactionId }
            let id = PurchaseID(index: owned)
            return act(on: account) { store, now in
                store.buyAgain(id, at: now)
                return store.purchases[owned].charge.transactionId
            }
        }
        return act(on: account) { store, now in
            let id = store.buyOnce(product.id, by: account.customer, quantity: quantity, at: now)
            return store.purchases[id.index].charge.transactionId
        }
    }

    /// Changes the plan of an active subscription, or redeems an offer for it.
    private mutating func change(
        _ id: SubscriptionID, to product: StoreProduct, _ offer: StoreOffer?, by account: AccountID
    ) throws(ImpossibleAct) -> String {
        let subscription = store(of: account)[id]
        if let offer {
            guard let offerId = offer.id, product.id == subscription.newest.product.id, subscription.autoRenews,
                subscription.newest.purchaseDate <= now
            else { throw ImpossibleAct(reason: "a subscriber can use this offer only on the plan that renews") }
            return act(on: account) { store, now in
                store.redeem(.named(offerId), on: id, at: now)
                return store[id].newest.transactionId
            }
        }
        let current = subscription.newest.product
        if product.id == current.id, subscription.nextProduct.id == current.id {
            throw ImpossibleAct(reason: "the customer subscribes to \(product.id) already")
        }
        let isImmediate =
            product.id != current.id
            && (product.level < current.level || product.level == current.level && product.period == current.period)
        guard isImmediate || subscription.autoRenews else {
            throw ImpossibleAct(reason: "auto-renewal is off: there is no renewal to change")
        }
        guard product.familyShareable || subscription.members.isEmpty else {
            throw ImpossibleAct(reason: "\(product.id) cannot be shared with the family")
        }
        return act(on: account) { store, now in
            store.changePlan(id, to: product.id, at: now)
            return store[id].newest.transactionId
        }
    }
}
