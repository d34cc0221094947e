import AppStoreModel
package import Primitives

extension AppStore {
    /// Raises the price of one subscription from its next renewal on: PRICE_INCREASE. The subtype is PENDING where the
    /// subscription expires unless the customer consents, and ACCEPTED where the customer is only notified.
    /// - Parameter price: milliunits in the storefront of the United States.
    package mutating func raisePrice(
        of id: SubscriptionID, to price: Int64, needsConsent: Bool = true, at instant: Instant
    ) {
        advance(to: instant)
        precondition(self[id].phase == .active && self[id].autoRenews, "the price of a renewal is raised")
        precondition(
            !isRenewed(id) && self[id].pendingProductId(at: now) == nil, "the same product renews, and has not yet")
        self[id].priceIncrease = Subscription.PriceIncrease(price: price, isAccepted: !needsConsent)
        let change = changed(needsConsent ? .priceIncreasePending : .priceIncreaseAccepted, id)
        notify(change, .priceIncrease, needsConsent ? .pending : .accepted, of: id)
    }

    /// Accepts the price increase as the customer: PRICE_INCREASE with ACCEPTED.
    package mutating func acceptPrice(of id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        precondition(self[id].priceIncrease?.isAccepted == false, "nothing waits for consent")
        self[id].priceIncrease?.isAccepted = true
        notify(changed(.priceIncreaseAccepted, id), .priceIncrease, .accepted, of: id)
    }

    /// Redeems an offer for the next renewals of a running subscription: OFFER_REDEEMED.
    package mutating func redeem(_ choice: OfferChoice, on id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        precondition(self[id].phase == .active && self[id].autoRenews, "an offer on what has ended is bought")
        precondition(!isRenewed(id), "the next renewal is charged already")
        let offer = self[id].newest.product.offer(choice)
        precondition(offer.type != .introductory, "a subscriber is not eligible for an introductory offer")
        self[id].nextOffer = Subscription.PendingOffer(offer: offer, charges: offer.periods)
        self[id].nextProduct = self[id].newest.product
        self[id].priceIncrease = nil
        notify(changed(.offerRedemption, id), .offerRedeemed, of: id)
    }
}
