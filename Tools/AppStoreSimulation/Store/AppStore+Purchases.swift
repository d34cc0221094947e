import AppStoreModel
package import Primitives

extension AppStore {
    /// Buys an auto-renewable: SUBSCRIBED with INITIAL_BUY. Where the customer had one of the group before, the subtype
    /// is RESUBSCRIBE and the original transaction id stays.
    @discardableResult
    package mutating func buy(
        _ productId: String, by customer: CustomerID, offer choice: OfferChoice? = nil, at instant: Instant
    ) -> SubscriptionID {
        advance(to: instant)
        let product = configuration.catalog[productId]
        guard let group = product.group else { preconditionFailure("\(productId) is no auto-renewable") }
        precondition(!withdrawnProductIds.contains(productId), "\(productId) is no longer for sale")
        let offer = choice.map(product.offer)
        let known = subscription(of: customer, inGroup: group)
        let charge = charge(
            for: product, offer, price: offer?.price ?? product.price, to: customer, from: now, reason: .purchase)
        if offer?.type == .introductory { consumeIntroductoryOffer(of: customer, in: group, with: charge) }

        let hasOtherToken = known.map { charge.appAccountToken != self[$0].newest.appAccountToken } ?? false
        let id = known ?? open(charge, by: customer)
        if known != nil { resubscribe(id, with: charge) }
        self[id].nextOffer = offer?.remaining
        scheduleCharge(id)
        let kind: ChangeKind =
            known == nil ? .initialBuy : hasOtherToken ? .resubscribeWithAnotherToken : .resubscribe
        notify(changed(kind, id), .subscribed, known == nil ? .initialBuy : .resubscribe, of: id)
        return id
    }

    /// Buys anything but an auto-renewable: ONE_TIME_CHARGE.
    @discardableResult
    package mutating func buyOnce(
        _ productId: String, by customer: CustomerID, quantity: Int64 = 1, at instant: Instant
    ) -> PurchaseID {
        advance(to: instant)
        let product = configuration.catalog[productId]
        precondition(product.type != .autoRenewable, "\(productId) is bought as a subscription")
        let id = PurchaseID(index: purchases.count)
        let charge = charge(for: product, quantity: quantity, to: customer)
        let origin = origin(of: charge, by: customer, ownership: .purchased)
        let purchase = OneTimePurchase(origin: origin, charge: charge)
        purchases.append(purchase)
        if product.type == .nonConsumable {
            log.truth.open(
                origin, of: Truth.ServiceKey(customer: customers[customer.index].number, group: nil),
                in: configuration, at: now, TruthState(purchase))
        }
        notify(changed(.oneTimeCharge, id), .oneTimeCharge, of: id)
        return id
    }

    /// Buys a refunded non-consumable again, under the same original transaction id: ONE_TIME_CHARGE.
    package mutating func buyAgain(_ id: PurchaseID, at instant: Instant) {
        advance(to: instant)
        let refunded = purchases[id.index]
        let product = refunded.charge.product
        precondition(product.type == .nonConsumable && refunded.charge.revocation != nil, "it is owned already")
        purchases[id.index].charge = charge(for: product, quantity: 1, to: refunded.origin.customer)
        purchases[id.index].restoration = nil
        notify(changed(.nonConsumableRebuy, id), .oneTimeCharge, of: id)
    }

    /// Returns the customer's own subscription in a group; after a migration, the successor.
    package func subscription(of customer: CustomerID, inGroup group: String) -> SubscriptionID? {
        subscriptions.lastIndex {
            $0.origin.customer == customer && $0.group == group && $0.origin.ownership == .purchased
        }.map(SubscriptionID.init)
    }
}

extension AppStore {
    /// Creates a charge for one period from `start`. It ends at `end`, else after the period of the offer or product.
    mutating func charge(
        for product: StoreProduct, _ offer: StoreOffer?, price: Int64, to customer: CustomerID, from start: Instant,
        until end: Instant? = nil, reason: TransactionReason
    ) -> Charge {
        let period = offer.map(\.period) ?? product.period
        var charge = Charge(
            transactionId: identifiers.transactionId(in: configuration.environment),
            webOrderLineItemId: identifiers.webOrderLineItemId(in: configuration.environment),
            product: product, purchaseDate: start,
            expiresDate: end ?? period.map { configuration.end(of: $0, from: start) }, reason: reason,
            quantity: 1, price: price * customers[customer.index].storefront.factor, offer: offer)
        charge.appAccountToken = customers[customer.index].appAccountToken
        return charge
    }

    /// Creates a charge for anything but an auto-renewable.
    private mutating func charge(for product: StoreProduct, quantity: Int64, to customer: CustomerID) -> Charge {
        var charge = Charge(
            transactionId: identifiers.transactionId(in: configuration.environment), webOrderLineItemId: nil,
            product: product, purchaseDate: now, expiresDate: nil, reason: .purchase, quantity: quantity,
            price: price(of: product, for: customer) * quantity, offer: nil)
        charge.appAccountToken = customers[customer.index].appAccountToken
        return charge
    }

    func origin(of charge: Charge, by customer: CustomerID, ownership: InAppOwnershipType) -> PurchaseOrigin {
        PurchaseOrigin(
            customer: customer, originalTransactionId: charge.transactionId, originalPurchaseDate: charge.purchaseDate,
            ownership: ownership)
    }

    /// Creates a subscription with its first charge, and opens its truth record.
    mutating func open(
        _ charge: Charge, by customer: CustomerID, ownership: InAppOwnershipType = .purchased,
        previous: SubscriptionID? = nil
    ) -> SubscriptionID {
        var origin = origin(of: charge, by: customer, ownership: ownership)
        origin.previousOriginalTransactionId = previous.map(originalTransactionId)
        let recentStart = previous.map { self[$0].recentStart } ?? charge.purchaseDate
        let id = SubscriptionID(index: subscriptions.count)
        subscriptions.append(
            Subscription(origin: origin, charges: [charge], nextProduct: charge.product, recentStart: recentStart))
        self[id].appAccountToken = charge.appAccountToken
        self[id].owner = charge.appAccountToken
        log.truth.open(origin, of: serviceKey(of: id), in: configuration, at: now, state(of: id))
        writeSale(of: id, charge)
        return id
    }

    private mutating func resubscribe(_ id: SubscriptionID, with charge: Charge) {
        precondition(
            self[id].phase == .expired || self[id].phase == .revoked, "the customer has a subscription in the group")
        precondition(!isRenewed(id), "the next period is charged already")
        if charge.purchaseDate.milliseconds - self[id].end.milliseconds > configuration.longestGap {
            self[id].recentStart = charge.purchaseDate
        }
        self[id].charges.append(charge)
        self[id].phase = .active
        self[id].autoRenews = true
        self[id].nextProduct = charge.product
        self[id].expirationIntent = nil
        self[id].hasGivenUpPaying = false
        self[id].eligibleWinBackOfferIds = []
        self[id].appAccountToken = charge.appAccountToken
        self[id].owner = charge.appAccountToken ?? self[id].owner
        writeSale(of: id, charge)
    }

    /// Uses up the introductory offer, which an account gets once per group. A migrated subscription and its successor
    /// both state it.
    private mutating func consumeIntroductoryOffer(of customer: CustomerID, in group: String, with charge: Charge) {
        precondition(
            customers[customer.index].introConsumed[group] == nil, "the introductory offer of the group is used up")
        customers[customer.index].introConsumed[group] = charge.transactionId
        for index in subscriptions.indices
        where subscriptions[index].origin.customer == customer && subscriptions[index].group == group
            && subscriptions[index].origin.ownership == .purchased
        {
            writeTruth(of: SubscriptionID(index: index))
        }
    }

    mutating func writeSale(of id: SubscriptionID, _ charge: Charge) {
        if self[id].origin.ownership == .purchased {
            let currency = customers[self[id].origin.customer.index].storefront.currency
            log.truth.money.sell(charge, under: originalTransactionId(of: id), currency: currency)
        }
        guard self[id].origin.ownership == .purchased, let end = charge.expiresDate else { return }
        let range = charge.purchaseDate..<end
        let transaction = charge.transactionId
        writeService(
            of: id, charge.isPaid ? .paid(transaction: transaction, range) : .free(transaction: transaction, range))
    }
}

extension StoreOffer {
    /// The charges left of the offer after its first; nil when there are none.
    fileprivate var remaining: Subscription.PendingOffer? {
        periods > 1 ? Subscription.PendingOffer(offer: self, charges: periods - 1) : nil
    }
}
