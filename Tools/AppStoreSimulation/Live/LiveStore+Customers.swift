import AppStoreModel
import Primitives

/// The reason why a customer cannot do something now.
package struct ImpossibleAct: Error, Hashable, Sendable {
    package let reason: String
}

/// Acts of customers that are not in the script. A customer who is directed no longer follows it.
extension LiveStore {
    /// Returns the account with a number of the truth.
    package func account(ofCustomer number: Int) -> AccountID? {
        let index = number < households.count ? number : number - households.count
        guard number >= 0, households.indices.contains(index) else { return nil }
        let customer = households[index].store.customers.firstIndex { $0.number == number }
        return customer.map { AccountID(household: index, customer: CustomerID(index: $0)) }
    }

    /// Turns auto-renewal off. Without an id, that of the only subscription that renews.
    package mutating func cancel(
        _ originalTransactionId: String?, by account: AccountID
    ) throws(ImpossibleAct) {
        let id = try subscription(originalTransactionId, of: account, "renews") {
            $0.autoRenews && $0.phase != .expired && $0.phase != .revoked
        }
        act(on: account) { $0.cancel(id, at: $1) }
    }

    /// Turns auto-renewal on again, or buys what has ended.
    package mutating func resubscribe(
        _ originalTransactionId: String?, by account: AccountID
    ) throws(ImpossibleAct) {
        let id = try subscription(originalTransactionId, of: account, "is cancelled or has ended") {
            !$0.autoRenews && ($0.phase == .active || $0.phase == .expired || $0.phase == .revoked)
        }
        let subscription = store(of: account)[id]
        if subscription.phase == .active {
            act(on: account) { $0.enableAutoRenewal(id, at: $1) }
        } else {
            _ = try purchase(subscription.newest.product.id, by: account)
        }
    }

    /// Refunds a transaction in full. Without an id, the running period of the only subscription that is paid for.
    package mutating func refund(
        _ transactionId: String?, by account: AccountID
    ) throws(ImpossibleAct) {
        let store = store(of: account)
        if let transactionId,
            let index = store.purchases.firstIndex(where: { $0.charge.transactionId == transactionId })
        {
            guard store.purchases[index].charge.revocation == nil else {
                throw ImpossibleAct(reason: "transaction \(transactionId) is refunded already")
            }
            return act(on: account) { $0.refund(PurchaseID(index: index), at: $1) }
        }
        let now = now
        let id = try subscription(of: account, transactionId.map { "has transaction \($0)" } ?? "is paid for") {
            guard let transactionId else { return $0.charges[$0.running(at: now)].isPaid && $0.phase == .active }
            return $0.charges.contains { $0.transactionId == transactionId }
        }
        let subscription = store[id]
        let running = subscription.running(at: now)
        let index = subscription.charges.firstIndex { $0.transactionId == transactionId } ?? running
        let charge = subscription.charges[index]
        guard charge.isPaid, charge.revocation == nil, !charge.isUpgraded else {
            throw ImpossibleAct(reason: "transaction \(charge.transactionId) is unpaid, refunded or replaced")
        }
        // It would end the sharing, too.
        guard index < running || subscription.members.isEmpty || !store.isRenewed(id) else { throw Self.chargedAhead }
        act(on: account) { $0.refund(id, transactionId: charge.transactionId, at: $1) }
    }

    /// Declines charges to the account from now on.
    package mutating func failBilling(of account: AccountID) {
        act(on: account) { $0.breakBilling(of: account.customer, at: $1) }
    }

    /// Accepts charges again, and collects what is due.
    package mutating func fixBilling(of account: AccountID) {
        act(on: account) { $0.fixBilling(of: account.customer, at: $1) }
    }

    /// Accepts a price increase.
    package mutating func consent(
        _ originalTransactionId: String?, by account: AccountID
    ) throws(ImpossibleAct) {
        let id = try subscription(originalTransactionId, of: account, "waits for consent to a price increase") {
            $0.phase == .active && $0.priceIncrease?.isAccepted == false
        }
        act(on: account) { $0.acceptPrice(of: id, at: $1) }
    }

    func subscription(
        _ originalTransactionId: String?, of account: AccountID, _ state: String, where holds: (Subscription) -> Bool
    ) throws(ImpossibleAct) -> SubscriptionID {
        try subscription(of: account, state) { subscription in
            holds(subscription)
                && (originalTransactionId == nil
                    || subscription.origin.originalTransactionId == originalTransactionId)
        }
    }

    private func subscription(
        of account: AccountID, _ state: String, where holds: (Subscription) -> Bool
    ) throws(ImpossibleAct) -> SubscriptionID {
        let store = store(of: account)
        let found = store.subscriptions.indices.filter { index in
            let origin = store.subscriptions[index].origin
            return origin.customer == account.customer && origin.ownership == .purchased
                && holds(store.subscriptions[index])
        }
        guard let index = found.first else {
            throw ImpossibleAct(reason: "the customer has no such subscription that \(state)")
        }
        guard found.count == 1 else {
            let ids = found.map { store.subscriptions[$0].origin.originalTransactionId }
            throw ImpossibleAct(reason: "name one of the subscriptions \(ids.joined(separator: ", "))")
        }
        return SubscriptionID(index: index)
    }
}
