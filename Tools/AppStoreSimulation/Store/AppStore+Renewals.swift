import AppStoreModel
package import Primitives

extension AppStore {
    /// Renews a subscription within 24 hours before the end of its period: DID_RENEW. Otherwise the clock renews it, at
    /// the latest at the end.
    package mutating func renew(_ id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        let isDue = self[id].end.milliseconds - now.milliseconds <= Instant.millisecondsPerDay && !isRenewed(id)
        precondition(self[id].phase == .active && self[id].autoRenews && isDue, "a renewal falls due within 24 hours")
        renew(id)
    }

    /// Turns auto-renewal off: DID_CHANGE_RENEWAL_STATUS with AUTO_RENEW_DISABLED. In grace and billing retry this ends
    /// the attempts to collect, and the subscription. A period already charged still begins.
    package mutating func cancel(_ id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        precondition(self[id].autoRenews, "auto-renewal is off already")
        let hasEnded = self[id].phase != .active
        let kind: ChangeKind =
            hasEnded
            ? .autoRenewDisabledAfterFailure
            : isRenewed(id) ? .autoRenewDisabledAfterCharge : .autoRenewDisabled
        for holder in holders(of: id) {
            self[holder].autoRenews = false
            if hasEnded {
                self[holder].phase = .expired
                self[holder].hasGivenUpPaying = true
            }
            let change = changed(kind, holder)
            notify(change, .didChangeRenewalStatus, .autoRenewDisabled, of: holder)
        }
        if hasEnded { self[id].members = [] }
    }

    /// Turns auto-renewal on again: DID_CHANGE_RENEWAL_STATUS with AUTO_RENEW_ENABLED.
    package mutating func enableAutoRenewal(_ id: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        precondition(self[id].phase == .active && !self[id].autoRenews, "only an active one can be turned on again")
        for holder in holders(of: id) {
            self[holder].autoRenews = true
            let change = changed(.autoRenewEnabled, holder)
            notify(change, .didChangeRenewalStatus, .autoRenewEnabled, of: holder)
        }
    }

    /// Stops the sale and the renewals of a product from now on. Its subscriptions end with their period.
    package mutating func removeFromSale(_ productId: String, at instant: Instant) {
        advance(to: instant)
        withdrawnProductIds.insert(configuration.catalog[productId].id)
    }
}

extension AppStore {
    /// Tries to charge up to 24 hours before the end of the period. After a declined attempt, `endPeriod` decides
    /// whether the renewal fails.
    mutating func chargeIfPossible(_ id: SubscriptionID) {
        if canCharge(id), configuration.renewsAgain(self[id]) { renew(id) } else { self[id].chargeDate = nil }
    }

    mutating func endPeriod(_ id: SubscriptionID) {
        let subscription = self[id]
        if !subscription.autoRenews || !configuration.renewsAgain(subscription) {
            expire(id, .voluntary, .cancelled, as: .expiry)
        } else if withdrawnProductIds.contains(subscription.nextProduct.id) {
            expire(id, .productNotForSale, .productUnavailable, as: .productUnavailable)
        } else if subscription.priceIncrease?.isAccepted == false {
            expire(id, .priceIncrease, .priceNotAccepted, as: .priceIncreaseNotAccepted)
        } else if canCharge(id) {
            renew(id)
        } else {
            failRenewal(id)
        }
    }

    /// Whether the next charge would succeed. A charge of zero is never declined.
    private func canCharge(_ id: SubscriptionID) -> Bool {
        let isDeclined = customers[self[id].origin.customer.index].billingFails && self[id].nextPrice > 0
        return !isDeclined && !withdrawnProductIds.contains(self[id].nextProduct.id)
    }

    mutating func renew(_ id: SubscriptionID) {
        let isPlanChange = self[id].pendingProductId(at: now) != nil
        let kind: ChangeKind =
            self[id].nextAppAccountToken != nil
            ? .renewalWithAnotherToken : isPlanChange ? .planChangeEffective : .renewal
        let charge = chargeNextPeriod(id, from: self[id].end)
        for holder in holders(of: id) {
            append(charge, to: holder)
            notify(changed(kind, holder), .didRenew, of: holder)
        }
        if charge.purchaseDate <= now { beginPeriod(id) }
    }

    /// Creates the charge for the next period, with the price and offer that apply to it.
    mutating func chargeNextPeriod(
        _ id: SubscriptionID, from start: Instant, until end: Instant? = nil
    ) -> Charge {
        let subscription = self[id]
        if let increase = subscription.priceIncrease {
            self[id].prices[subscription.newest.product.id] = increase.price
            self[id].priceIncrease = nil
        }
        if let offer = subscription.nextOffer {
            self[id].nextOffer =
                offer.charges > 1 ? Subscription.PendingOffer(offer: offer.offer, charges: offer.charges - 1) : nil
        }
        if let token = subscription.nextAppAccountToken {
            self[id].appAccountToken = token
            self[id].owner = token
            self[id].nextAppAccountToken = nil
        }
        var charge = charge(
            for: subscription.nextProduct, subscription.nextOffer?.offer, price: subscription.nextPrice,
            to: subscription.origin.customer, from: start, until: end, reason: .renewal)
        charge.appAccountToken = self[id].appAccountToken
        return charge
    }

    /// Appends a charge to a purchaser's subscription, or its copy to a family member's.
    mutating func append(_ charge: Charge, to id: SubscriptionID) {
        if self[id].origin.ownership == .purchased {
            self[id].charges.append(charge)
            writeSale(of: id, charge)
        } else {
            self[id].charges.append(shared(charge))
        }
        self[id].nextProduct = charge.product
    }

    /// Begins the newest charged period. It is revoked when its charge was already refunded.
    mutating func beginPeriod(_ id: SubscriptionID) {
        for holder in holders(of: id) {
            self[holder].phase = self[holder].newest.revocation == nil ? .active : .revoked
            writeTruth(of: holder)
        }
        scheduleCharge(id)
    }

    mutating func scheduleCharge(_ id: SubscriptionID) {
        let lead = generator.number(in: configuration.chargeLead)
        self[id].chargeDate = max(now, self[id].end.advanced(byMilliseconds: -lead))
    }

    mutating func expire(
        _ id: SubscriptionID, _ subtype: Subtype, _ intent: ExpirationIntent, as kind: ChangeKind
    ) {
        for holder in holders(of: id) {
            self[holder].phase = .expired
            self[holder].autoRenews = false
            self[holder].expirationIntent = intent
            self[holder].priceIncrease = nil
            self[holder].nextOffer = nil
            if intent == .cancelled, self[holder].charges.contains(where: \.isPaid) {
                self[holder].eligibleWinBackOfferIds = self[holder].newest.product.offers(.winBack).compactMap(\.id)
            }
            // Without notifications, it is known once no renewal has arrived for an hour.
            let silence = configuration.notifies ? nil : now.advanced(byMilliseconds: Instant.millisecondsPerHour)
            notify(changed(kind, holder, settledDate: silence), .expired, subtype, of: holder)
        }
        self[id].members = []
    }
}
