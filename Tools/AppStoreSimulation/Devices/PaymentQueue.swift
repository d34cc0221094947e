import AppStoreModel
package import Primitives

/// A transaction in the payment queue of a device.
/// https://developer.apple.com/documentation/storekit/skpaymenttransactionstate
package struct QueuedTransaction: Hashable, Sendable {
    package enum State: String, Sendable {
        case purchasing, purchased, failed, restored, deferred
    }

    /// The number of the payment on the device.
    package let payment: Int
    package let productId: String
    package internal(set) var state: State
    /// Nil before the purchase.
    package internal(set) var transactionId: String?
    /// The reason of a failure.
    package internal(set) var reason: String?
    /// The end of the parent's time to answer; nil unless deferred.
    package internal(set) var askedUntil: Instant?
}

/// The way in which a purchase begins and proceeds.
package struct Payment: Sendable {
    package enum Start: String, Sendable {
        /// The customer pays in the app.
        case app
        /// The customer begins outside the app, which sees the transaction at its next launch.
        case promoCode, promotedPurchase
    }

    package let productId: String
    package var offer: OfferChoice?
    package var quantity: Int64 = 1
    package var start = Start.app
    /// Whether a parent must approve.
    package var asksToBuy = false
    /// Whether the App Store interrupts it, for new terms for example. It fails in the app, and goes on outside.
    package var isInterrupted = false
    /// Whether the customer gives up before paying.
    package var isCancelled = false
    /// Whether the App Store is still at work on it, for good.
    package var isPending = false

    package init(_ productId: String) {
        self.productId = productId
    }
}

/// The payment queue of one device.
struct PaymentQueue: Sendable {
    /// The time in which a parent can answer.
    static let askingTime = 24 * Instant.millisecondsPerHour

    private(set) var transactions: [QueuedTransaction] = []
    private var payments: [Int: Payment] = [:]
    private var next = 1
    /// The transactions that the device finished, or had before its queue was first looked at.
    private var finished: Set<String>

    init(finished: Set<String>) {
        self.finished = finished
    }

    /// Drops what nobody answered, and adds what the queue does not have yet, such as renewals.
    mutating func update(_ charged: [(transactionId: String, productId: String)], now: Instant) {
        transactions.removeAll { $0.askedUntil.map { $0 <= now } ?? false }
        for (id, productId) in charged
        where !finished.contains(id) && !transactions.contains(where: { $0.transactionId == id }) {
            add(productId, .purchased, id)
        }
    }

    /// Returns the open question to a parent about a product, of which there is one at a time.
    func question(about productId: String) -> QueuedTransaction? {
        transactions.first { $0.productId == productId && $0.state == .deferred }
    }

    mutating func ask(for payment: Payment, now: Instant) -> QueuedTransaction {
        payments[next] = payment
        var transaction = QueuedTransaction(payment: next, productId: payment.productId, state: .deferred)
        transaction.askedUntil = now.advanced(byMilliseconds: Self.askingTime)
        transactions.append(transaction)
        next += 1
        return transaction
    }

    /// Removes the oldest open question.
    mutating func answer() -> (question: QueuedTransaction, payment: Payment)? {
        guard let index = transactions.firstIndex(where: { $0.state == .deferred }),
            let payment = payments[transactions[index].payment]
        else { return nil }
        return (transactions.remove(at: index), payment)
    }

    @discardableResult
    mutating func add(
        _ productId: String, _ state: QueuedTransaction.State, _ transactionId: String?, reason: String? = nil
    ) -> QueuedTransaction {
        if let transactionId {
            // A purchase that the account has already comes back as the same transaction.
            if let known = transactions.first(where: { $0.transactionId == transactionId && $0.state == state }) {
                return known
            }
            finished.remove(transactionId)
        }
        var transaction = QueuedTransaction(payment: next, productId: productId, state: state)
        transaction.transactionId = transactionId
        transaction.reason = reason
        transactions.append(transaction)
        next += 1
        return transaction
    }

    /// - Returns: false for a payment that is not in the queue, or cannot be finished yet.
    mutating func finish(payment: Int) -> Bool {
        guard let index = transactions.firstIndex(where: { $0.payment == payment }),
            transactions[index].state != .purchasing, transactions[index].state != .deferred
        else { return false }
        if let id = transactions.remove(at: index).transactionId { finished.insert(id) }
        return true
    }

    func isFinished(_ transactionId: String) -> Bool { finished.contains(transactionId) }
}
