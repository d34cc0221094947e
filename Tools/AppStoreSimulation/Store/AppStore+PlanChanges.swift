import AppStoreModel
package import Primitives

extension AppStore {
    /// Changes the product within the group: DID_CHANGE_RENEWAL_PREF.
    ///
    /// To a higher level, or within the level to another product of the same duration: at once, UPGRADE. Otherwise with
    /// the next renewal, DOWNGRADE. Back to the current product: no subtype.
    package mutating func changePlan(_ id: SubscriptionID, to productId: String, at instant: Instant) {
        advance(to: instant)
        let product = configuration.catalog[productId]
        let current = self[id].newest.product
        precondition(product.group == current.group, "a plan changes within its group")
        precondition(self[id].phase == .active && !isRenewed(id), "only a running plan can change")
        precondition(product.familyShareable || self[id].members.isEmpty, "what is shared stays shareable")
        if product.id == current.id {
            choose(product, for: id, subtype: nil, as: .planChangeReverted)
        } else if product.level < current.level {
            replace(id, by: product, as: .upgrade)
        } else if product.level > current.level {
            choose(product, for: id, subtype: .downgrade, as: .downgrade)
        } else if product.period == current.period {
            replace(id, by: product, as: .crossgrade)
        } else {
            choose(product, for: id, subtype: .downgrade, as: .crossgrade)
        }
    }
}

extension AppStore {
    /// For the next renewal.
    private mutating func choose(
        _ product: StoreProduct, for id: SubscriptionID, subtype: Subtype?, as kind: ChangeKind
    ) {
        precondition(self[id].autoRenews, "there is no next renewal to choose for")
        self[id].nextOffer = nil
        for holder in holders(of: id) {
            self[holder].nextProduct = product
            let pendingProductId = self[holder].pendingProductId(at: now)
            writeTruth(of: holder) { $0.pendingProductId = pendingProductId }
            notify(changed(kind, holder), .didChangeRenewalPref, subtype, of: holder)
        }
    }

    /// At once: a new period, the old charge marked upgraded and signed again.
    private mutating func replace(_ id: SubscriptionID, by product: StoreProduct, as kind: ChangeKind) {
        self[id].nextOffer = nil
        self[id].priceIncrease = nil
        writeService(of: id, .replaced(transaction: self[id].newest.transactionId, at: now))
        let charge = charge(
            for: product, nil, price: self[id].prices[product.id] ?? product.price, to: self[id].origin.customer,
            from: now, reason: .purchase)
        for holder in holders(of: id) {
            let old = self[holder].charges.count - 1
            self[holder].charges[old].isUpgraded = true
            self[holder].autoRenews = true
            append(charge, to: holder)
            let change = changed(kind, holder)
            notify(change, .didChangeRenewalPref, .upgrade, of: holder)
            signTransaction(self[holder].charges[old], of: self[holder].origin, change)
        }
        beginPeriod(id)
    }
}
