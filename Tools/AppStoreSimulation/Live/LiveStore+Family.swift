import AppStoreModel

/// Family Sharing of customers who are directed, between a customer and the relative.
extension LiveStore {
    /// Shares a subscription with the other account of the household. Without an id, the only active one.
    package mutating func share(
        _ originalTransactionId: String?, by account: AccountID
    ) throws(ImpossibleAct) {
        let id = try subscription(originalTransactionId, of: account, "is active") { $0.phase == .active }
        let store = store(of: account)
        let subscription = store[id]
        for product in [subscription.newest.product, subscription.nextProduct] where !product.familyShareable {
            throw ImpossibleAct(reason: "\(product.id) cannot be shared with the family")
        }
        guard subscription.members.isEmpty else { throw ImpossibleAct(reason: "it is shared already") }
        guard !store.isRenewed(id) else { throw Self.chargedAhead }
        guard let member = store.customers.indices.map(CustomerID.init).first(where: { $0 != account.customer })
        else { throw ImpossibleAct(reason: "the customer has no relative") }
        let former = store.copy(of: member, inGroup: subscription.group)
        act(on: account) { store, now in
            if let former {
                store.shareAgain(id, with: former, at: now)
            } else {
                store.share(id, with: member, at: now)
            }
        }
    }

    /// Stops sharing a subscription. Without an id, the only one that is shared.
    package mutating func stopSharing(
        _ originalTransactionId: String?, by account: AccountID
    ) throws(ImpossibleAct) {
        let id = try subscription(originalTransactionId, of: account, "is shared") { !$0.members.isEmpty }
        let store = store(of: account)
        let members = store[id].members
        guard !members.contains(where: store.isRenewed) else { throw Self.chargedAhead }
        act(on: account) { store, now in
            for member in members { store.stopSharing(member, at: now) }
        }
    }

    /// The reason why sharing cannot begin or end between the charge for a period and its start.
    static var chargedAhead: ImpossibleAct {
        ImpossibleAct(reason: "the next period is charged already: wait until it has begun")
    }
}
