import AppStoreModel
import Primitives

/// Distinct valid notifications for benchmarks, created on access: per subscription, the first purchase and nine
/// renewals. All have the same certificate chain; no two contain the same JWS.
package struct BulkNotifications: RandomAccessCollection, Sendable {
    package static let notificationsPerSubscription = 10

    package let startIndex = 0
    package let endIndex: Int
    private let signer: JWSSigner
    private let writer: PayloadWriter
    private let product: StoreProduct
    private let period: SubscriptionPeriod

    package init(
        count: Int, signer: JWSSigner = JWSSigner(), configuration: StoreConfiguration = StoreConfiguration()
    ) {
        precondition(count >= 0, "a count is not negative")
        endIndex = count
        self.signer = signer
        writer = PayloadWriter(configuration: configuration)
        product = StoreCatalog.standard["pro.monthly"]
        period = SubscriptionPeriod(1, .month)
    }

    /// The notification at `position`, with the same bytes on every access.
    /// - Complexity: three signatures.
    package subscript(position: Int) -> SignedStoreArtifact {
        precondition(indices.contains(position), "there are \(count) notifications")
        let renewals = position % Self.notificationsPerSubscription
        let customer = customer(position / Self.notificationsPerSubscription)
        let subscription = subscription(of: customer, renewals: renewals)
        var generator = SeededGenerator(seed: 0, stream: UInt64(position))
        let signedDate = subscription.newest.purchaseDate
            .advanced(byMilliseconds: generator.number(in: 400...4_000))
        var content = NotificationContent(
            type: renewals == 0 ? .subscribed : .didRenew, subtype: renewals == 0 ? .initialBuy : nil,
            uuid: generator.uuid())
        content.status = .active
        let transaction = writer.transaction(
            subscription.newest, of: subscription.origin, by: customer, signedDate: signedDate)
        let renewalInfo = writer.renewalInfo(subscription, by: customer, signedDate: signedDate)
        return signer.sign(
            StoreArtifact(
                kind: .notification, signedDate: signedDate, deliveredDate: signedDate,
                change: renewals == 0 ? .initialBuy : .renewal, changeDate: subscription.newest.purchaseDate,
                customer: customer.number, originalTransactionId: subscription.origin.originalTransactionId,
                tellsAll: true,
                content: .notification(
                    content, writer, transaction: JSONValue.object(transaction).bytes,
                    renewalInfo: JSONValue.object(renewalInfo).bytes)))
    }

    /// The appAccountToken of a customer's purchases.
    package static func appAccountToken(ofCustomer number: Int) -> String {
        var generator = SeededGenerator(seed: 1, stream: UInt64(number))
        return generator.uuid()
    }

    private func customer(_ number: Int) -> Customer {
        Customer(
            number: number, storefront: Storefront.all[number % Storefront.all.count],
            appTransactionId: IdentifierSource.appTransactionId(ofCustomer: number),
            downloadedAt: Instant(milliseconds: 1_388_534_400_000),
            appAccountToken: Self.appAccountToken(ofCustomer: number))
    }

    private func subscription(of customer: Customer, renewals: Int) -> Subscription {
        let environment = writer.configuration.environment
        let number = customer.number * Self.notificationsPerSubscription
        // Ten years from 2014-06-01: in the past, and within the validity of the standard chain.
        let start = Instant(milliseconds: 1_401_580_800_000)
            .advanced(byMilliseconds: Int64(customer.number % 315_360_000) * 1_000)
        let purchaseDate = renewals == 0 ? start : period.times(renewals).end(from: start)
        var charge = Charge(
            transactionId: IdentifierSource.transactionId(number + renewals, in: environment),
            webOrderLineItemId: IdentifierSource.webOrderLineItemId(number + renewals, in: environment),
            product: product, purchaseDate: purchaseDate, expiresDate: period.times(renewals + 1).end(from: start),
            reason: renewals == 0 ? .purchase : .renewal, quantity: 1,
            price: product.price * customer.storefront.factor, offer: nil)
        charge.appAccountToken = customer.appAccountToken
        let origin = PurchaseOrigin(
            customer: CustomerID(index: 0),
            originalTransactionId: IdentifierSource.transactionId(number, in: environment),
            originalPurchaseDate: start, ownership: .purchased)
        var subscription = Subscription(origin: origin, charges: [charge], nextProduct: product, recentStart: start)
        subscription.appAccountToken = customer.appAccountToken
        return subscription
    }
}
