import AppStoreModel
package import Primitives

extension AppStore {
    /// Changes the product within the group: DID_CHANGE_RENEWAL_PREF.
    ///
    /// A change to a higher level, or within the level to a product of the same duration, takes effect at once:
    /// UPGRADE. Any other takes effect with the next renewal: DOWNGRADE. A change back to the current product has no
    /// subtype. When the next renewal is already charged, an immediate change replaces it, and any other waits for the
    /// one after.
    /// - Parameter marksReplaced: whether the replaced transactions are signed again, with isUpgraded.
    package mutating func changePlan(
        _ id: SubscriptionID, to productId: String, marksReplaced: Bool = true, at instant: Instant
    ) {
        advance(to: instant)
        let product = configuration.catalog[productId]
        let current = self[id].newest.product
        precondition(product.group == current.group, "a plan changes within its group")
        precondition(self[id].phase == .active, "only a running plan can change")
        precondition(product.familyShareable || self[id].members.isEmpty, "what is shared stays shareable")
        if product.id == current.id {
            choose(product, for: id, subtype: nil, as: .planChangeReverted)
        } else if product.level < current.level {
            replace(id, by: product, as: .upgrade, marksReplaced: marksReplaced)
        } else if product.level > current.level {
            choose(product, for: id, subtype: .downgrade, as: .downgrade)
        } else if product.period == current.period {
            replace(id, by: product, as: .crossgrade, marksReplaced: marksReplaced)
        } else {
            choose(product, for: id, subtype: .downgrade, as: .crossgrade)
        }
    }
}

extension AppStore {
    /// Sets the product of the next renewal that is not yet charged.
    private mutating func choose(
        _ product: StoreProduct, for id: SubscriptionID, subtype: Subtype?, as kind: ChangeKind
    ) {
        precondition(self[id].autoRenews, "there is no next renewal to choose for")
        self[id].nextOffer = nil
        let kind = isRenewed(id) && kind != .planChangeReverted ? .downgradeAfterCharge : kind
        for holder in holders(of: id) {
            self[holder].nextProduct = product
            notify(changed(kind, holder), .didChangeRenewalPref, subtype, of: holder)
        }
    }

    /// Starts a new period at once. The running period, and a renewal already charged, end.
    private mutating func replace(
        _ id: SubscriptionID, by product: StoreProduct, as kind: ChangeKind, marksReplaced: Bool
    ) {
        self[id].nextOffer = nil
        self[id].priceIncrease = nil
        let running = self[id].running(at: now)
        writeService(of: id, .replaced(transaction: self[id].charges[running].transactionId, at: now))
        for replaced in self[id].charges[running...] { log.truth.money.credit(replaced.transactionId, at: now) }
        if isRenewed(id) { writeService(of: id, .refunded(transaction: self[id].newest.transactionId, from: nil)) }
        let charge = charge(
            for: product, nil, price: self[id].prices[product.id] ?? product.price, to: self[id].origin.customer,
            from: now, reason: .purchase)
        let hasOtherToken = charge.appAccountToken != self[id].appAccountToken
        self[id].appAccountToken = charge.appAccountToken
        self[id].owner = charge.appAccountToken ?? self[id].owner
        let kind: ChangeKind =
            if isRenewed(id) {
                .upgradeAfterCharge
            } else if kind == .crossgrade, hasOtherToken {
                .crossgradeWithAnotherToken
            } else if kind == .upgrade, let end = charge.expiresDate, end < self[id].end {
                .upgradeToShorterPlan
            } else {
                kind
            }
        for holder in holders(of: id) {
            let replaced = self[holder].running(at: now)..<self[holder].charges.count
            for index in replaced { self[holder].charges[index].isUpgraded = true }
            self[holder].autoRenews = true
            append(charge, to: holder)
            notify(changed(kind, holder), .didChangeRenewalPref, .upgrade, of: holder)
            guard marksReplaced else { continue }
            let mark = changed(.upgradeMark, holder)
            for index in replaced { signTransaction(self[holder].charges[index], of: self[holder].origin, mark) }
        }
        beginPeriod(id)
    }
}
