package import AppStoreModel
package import Primitives

/// The purchases of one Apple Account, as the App Store Server API states them. The payloads are yet to be signed.
package struct CustomerRecord: Sendable {
    /// In the order of their last modification.
    package let transactions: [RecordedTransaction]
    /// One per original transaction id.
    package let subscriptions: [RecordedSubscription]
    /// The payload of the app transaction, as JSON.
    package let appTransaction: [UInt8]
}

package struct RecordedTransaction: Sendable {
    package let transactionId: String
    package let originalTransactionId: String
    package let productId: String
    package let type: ProductType
    package let subscriptionGroupIdentifier: String?
    package let ownership: InAppOwnershipType
    package let purchaseDate: Instant
    package let revocationDate: Instant?
    package let modifiedDate: Instant
    /// Ascends with the modifications of the transactions of an account.
    package let order: Int
    /// The payload, as JSON.
    package let payload: [UInt8]
}

package struct RecordedSubscription: Sendable {
    package let originalTransactionId: String
    package let subscriptionGroupIdentifier: String
    package let status: SubscriptionStatusCode
    /// The payloads of the newest transaction and of the renewal info, as JSON.
    package let transaction: [UInt8]
    package let renewalInfo: [UInt8]
}

extension LiveHousehold {
    /// Returns what Apple states about an account of the household.
    /// - Parameters:
    ///   - signedDate: the date in the payloads.
    ///   - isLate: whether a replica answers that has not seen the last change.
    func record(of customer: CustomerID, signedDate: Instant, isLate: Bool) -> CustomerRecord {
        let (store, versions) = isLate ? replica.map { ($0.store, $0.transactions) } ?? state : state
        let account = store.customers[customer.index]
        let writer = store.writer
        var transactions: [RecordedTransaction] = []
        func add(_ charge: Charge, of origin: PurchaseOrigin) {
            guard let version = versions[charge.transactionId] else { return }
            transactions.append(RecordedTransaction(charge, of: origin, by: account, version, writer, signedDate))
        }
        let subscriptions = store.subscriptions.filter { $0.origin.customer == customer }
        for subscription in subscriptions {
            for charge in subscription.charges { add(charge, of: subscription.origin) }
        }
        for purchase in store.purchases where purchase.origin.customer == customer {
            add(purchase.charge, of: purchase.origin)
        }
        let appTransaction = writer.appTransaction(of: account, createdAt: signedDate)
        return CustomerRecord(
            transactions: transactions.sorted { $0.order < $1.order },
            subscriptions: subscriptions.map { RecordedSubscription($0, by: account, writer, signedDate) },
            appTransaction: JSONValue.object(appTransaction).bytes)
    }

    private var state: (AppStore, [String: TransactionVersion]) { (store, transactions) }
}

extension RecordedTransaction {
    fileprivate init(
        _ charge: Charge, of origin: PurchaseOrigin, by customer: Customer, _ version: TransactionVersion,
        _ writer: PayloadWriter, _ signedDate: Instant
    ) {
        self.init(
            transactionId: charge.transactionId, originalTransactionId: origin.originalTransactionId,
            productId: charge.product.id, type: charge.product.type,
            subscriptionGroupIdentifier: charge.product.group, ownership: origin.ownership,
            purchaseDate: charge.purchaseDate, revocationDate: charge.revocation?.date,
            modifiedDate: version.modifiedDate, order: version.order,
            payload: JSONValue.object(
                writer.transaction(charge, of: origin, by: customer, signedDate: signedDate)
            ).bytes)
    }
}

extension RecordedSubscription {
    fileprivate init(
        _ subscription: Subscription, by customer: Customer, _ writer: PayloadWriter, _ signedDate: Instant
    ) {
        let transaction = writer.transaction(
            subscription.newest, of: subscription.origin, by: customer, signedDate: signedDate)
        let renewalInfo = writer.renewalInfo(subscription, by: customer, signedDate: signedDate)
        self.init(
            originalTransactionId: subscription.origin.originalTransactionId,
            subscriptionGroupIdentifier: subscription.group, status: subscription.status,
            transaction: JSONValue.object(transaction).bytes, renewalInfo: JSONValue.object(renewalInfo).bytes)
    }
}
