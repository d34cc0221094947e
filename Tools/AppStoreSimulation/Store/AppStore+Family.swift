import AppStoreModel
package import Primitives

extension AppStore {
    /// Shares a subscription with another account, which gets its own copy: SUBSCRIBED with INITIAL_BUY. The copy then
    /// follows the purchaser's subscription.
    @discardableResult
    package mutating func share(
        _ id: SubscriptionID, with member: CustomerID, at instant: Instant
    ) -> SubscriptionID {
        advance(to: instant)
        let charge = self[id].newest
        precondition(charge.product.familyShareable && self[id].phase == .active, "what is active can be shared")
        precondition(!isRenewed(id), "what is charged ahead is shared after it has begun")
        precondition(self[id].origin.customer != member, "nobody shares with themselves")
        let shared = open(shared(charge, from: now), by: member, ownership: .familyShared)
        self[shared].autoRenews = self[id].autoRenews
        self[shared].nextProduct = self[id].nextProduct
        self[id].members.append(shared)
        notify(changed(.familyShare, shared), .subscribed, .initialBuy, of: shared)
        return shared
    }

    /// Ends the sharing of a member's subscription: REVOKE.
    package mutating func stopSharing(_ member: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        let purchaser = subscriptions.firstIndex { $0.members.contains(member) }
        guard let purchaser, !isRenewed(member) else {
            preconditionFailure("a running share can be ended, one charged ahead after it has begun")
        }
        subscriptions[purchaser].members.removeAll { $0 == member }
        revokeSharing(member, reason: .other)
    }

    /// Shares with a member again in the period in which sharing ended: SUBSCRIBED with RESUBSCRIBE. The member gets a
    /// new transaction of the same line item.
    package mutating func shareAgain(_ id: SubscriptionID, with member: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        let ended = self[member].newest
        precondition(self[id].phase == .active && !isRenewed(id), "what is active and not yet renewed can be shared")
        precondition(self[member].phase == .revoked && ended.expiresDate == self[id].end, "sharing has just ended")
        self[member].charges.append(
            ended.restored(as: identifiers.transactionId(in: configuration.environment), at: now))
        self[member].phase = .active
        self[member].autoRenews = self[id].autoRenews
        self[member].nextProduct = self[id].nextProduct
        self[id].members.append(member)
        notify(changed(.familyRegain, member), .subscribed, .resubscribe, of: member)
    }
}

extension AppStore {
    /// Returns a family member's copy of a charge: a separate transaction without a price.
    mutating func shared(_ charge: Charge, from start: Instant? = nil) -> Charge {
        Charge(
            transactionId: identifiers.transactionId(in: configuration.environment),
            webOrderLineItemId: identifiers.webOrderLineItemId(in: configuration.environment),
            product: charge.product, purchaseDate: start ?? charge.purchaseDate, expiresDate: charge.expiresDate,
            reason: start == nil ? charge.reason : .purchase, quantity: 1, price: nil, offer: nil)
    }

    mutating func revokeSharing(_ member: SubscriptionID, reason: RevocationReason) {
        self[member].charges[self[member].charges.count - 1].revocation = Revocation(
            date: now, reason: reason, type: .familyRevoke, percentage: nil)
        self[member].phase = .revoked
        self[member].autoRenews = false
        self[member].expirationIntent = nil
        notify(changed(.familyRevoke, member), .revoke, of: member)
    }
}
