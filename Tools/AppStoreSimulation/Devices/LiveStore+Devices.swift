import AppStoreModel
import Primitives

/// The device of an account: the app on it sees transactions through a payment queue.
extension LiveStore {
    /// Starts the app: the queue has every transaction that is not finished, those begun outside the app too.
    package mutating func launch(_ account: AccountID) -> [QueuedTransaction] {
        queue(of: account).transactions
    }

    /// Pays for a product on the device.
    /// - Returns: the transaction as the app sees it; nil when it began outside the app, which sees it when it starts.
    package mutating func pay(_ payment: Payment, on account: AccountID) -> QueuedTransaction? {
        var queue = queue(of: account)
        defer { queues[account] = queue }
        if payment.asksToBuy {
            return queue.question(about: payment.productId) ?? queue.ask(for: payment, now: now)
        }
        if payment.isPending { return queue.add(payment.productId, .purchasing, nil) }
        if payment.isCancelled { return queue.add(payment.productId, .failed, nil, reason: "cancelled") }
        if payment.isInterrupted {
            let failed = queue.add(payment.productId, .failed, nil, reason: "interrupted")
            complete(payment, of: account, &queue)
            return failed
        }
        let transaction = complete(payment, of: account, &queue)
        return payment.start == .app ? transaction : nil
    }

    /// Answers the oldest question as the parent.
    /// - Returns: the transaction; nil when nothing is asked.
    package mutating func answer(_ isApproved: Bool, on account: AccountID) -> QueuedTransaction? {
        var queue = queue(of: account)
        defer { queues[account] = queue }
        guard let (question, payment) = queue.answer() else { return nil }
        guard isApproved else { return queue.add(question.productId, .failed, nil, reason: "declined by a parent") }
        return complete(payment, of: account, &queue)
    }

    /// Restores the purchases of the account: each gets a new transaction in the queue.
    package mutating func restore(_ account: AccountID) -> [QueuedTransaction] {
        var queue = queue(of: account)
        let now = now
        let store = store(of: account)
        let subscriptions = store.subscriptions.indices.filter {
            store.subscriptions[$0].origin.customer == account.customer && store.subscriptions[$0].phase == .active
        }
        for index in subscriptions {
            let id = SubscriptionID(index: index)
            let running = store[id].charges[store[id].running(at: now)]
            let (transactionId, payload) = act(on: account) { $0.restore(id, at: $1) }
            restored[transactionId] = payload
            queue.add(running.product.id, .restored, transactionId)
        }
        for index in store.purchases.indices {
            let purchase = store.purchases[index]
            guard purchase.origin.customer == account.customer, purchase.charge.product.type == .nonConsumable,
                purchase.charge.revocation == nil
            else { continue }
            let (transactionId, payload) = act(on: account) { $0.restore(PurchaseID(index: index), at: $1) }
            restored[transactionId] = payload
            queue.add(purchase.charge.product.id, .restored, transactionId)
        }
        queues[account] = queue
        return queue.transactions.filter { $0.state == .restored }
    }

    /// Finishes a transaction of the queue. A finished consumable no longer shows on the device.
    /// - Returns: false when the queue has no such payment, or it is not decided yet.
    package mutating func finish(payment: Int, on account: AccountID) -> Bool {
        var queue = queue(of: account)
        defer { queues[account] = queue }
        return queue.finish(payment: payment)
    }

    /// Returns the payload of a transaction that the device has, to be signed.
    package func payload(of transactionId: String, on account: AccountID) -> [UInt8]? {
        restored[transactionId]
            ?? record(of: account).transactions.first { $0.transactionId == transactionId }?.payload
    }

    /// Whether a device has finished a transaction.
    package func isFinished(_ transactionId: String, on account: AccountID) -> Bool {
        queues[account]?.isFinished(transactionId) ?? false
    }

    /// Whether somebody has used the device of an account. Nothing is known of what other devices have finished.
    package func hasUsedDevice(_ account: AccountID) -> Bool { queues[account] != nil }

    @discardableResult
    private mutating func complete(
        _ payment: Payment, of account: AccountID, _ queue: inout PaymentQueue
    ) -> QueuedTransaction {
        do {
            let id = try purchase(payment.productId, by: account, offer: payment.offer, quantity: payment.quantity)
            return queue.add(payment.productId, .purchased, id)
        } catch {
            return queue.add(payment.productId, .failed, nil, reason: error.reason)
        }
    }

    /// Returns the queue as of now. The app is taken to have finished what the account had when first looked at.
    private mutating func queue(of account: AccountID) -> PaymentQueue {
        let charged = charged(by: account)
        var queue = queues[account] ?? PaymentQueue(finished: Set(charged.map(\.transactionId)))
        queue.update(charged, now: now)
        queues[account] = queue
        return queue
    }

    private func charged(by account: AccountID) -> [(transactionId: String, productId: String)] {
        let store = store(of: account)
        let now = now
        let subscriptions = store.subscriptions.filter { $0.origin.customer == account.customer }
        return subscriptions.flatMap(\.charges).filter { $0.purchaseDate <= now }.map {
            ($0.transactionId, $0.product.id)
        }
            + store.purchases.filter { $0.origin.customer == account.customer }.map {
                ($0.charge.transactionId, $0.charge.product.id)
            }
    }
}
