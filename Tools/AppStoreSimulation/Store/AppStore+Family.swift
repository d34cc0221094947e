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

    /// Shares with a member again: SUBSCRIBED with RESUBSCRIBE. In the period in which sharing ended, the member gets a
    /// new transaction of the same line item.
    package mutating func shareAgain(_ id: SubscriptionID, with member: SubscriptionID, at instant: Instant) {
        advance(to: instant)
        let ended = self[member].newest
        precondition(self[id].phase == .active && !isRenewed(id), "what is active and not yet renewed can be shared")
        precondition(self[member].phase == .revoked || self[member].phase == .expired, "sharing has ended")
        let isRegained = ended.revocation != nil && ended.expiresDate == self[id].end
        let copy =
            isRegained
            ? ended.restored(as: identifiers.transactionId(in: configuration.environment), at: now)
            : shared(self[id].newest, from: now)
        reopen(member, with: copy, of: id)
        notify(changed(isRegained ? .familyRegain : .familyShare, member), .subscribed, .resubscribe, of: member)
    }

    private mutating func reopen(_ member: SubscriptionID, with copy: Charge, of id: SubscriptionID) {
        if copy.purchaseDate.milliseconds - self[member].end.milliseconds > configuration.longestGap {
            self[member].recentStart = copy.purchaseDate
        }
        self[member].charges.append(copy)
        self[member].phase = .active
        self[member].expirationIntent = nil
        self[member].hasGivenUpPaying = false
        self[member].autoRenews = self[id].autoRenews
        self[member].nextProduct = self[id].nextProduct
        self[id].members.append(member)
    }

    /// Returns the copy that a member has, or had, of a subscription in a group.
    func copy(of member: CustomerID, inGroup group: String) -> SubscriptionID? {
        subscriptions.lastIndex {
            $0.origin.customer == member && $0.group == group && $0.origin.ownership == .familyShared
        }.map(SubscriptionID.init)
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
