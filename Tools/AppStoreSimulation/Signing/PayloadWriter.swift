import AppStoreModel
import Primitives

/// Writes the payloads that the App Store signs, with the fields in its order.
struct PayloadWriter: Sendable {
    let configuration: StoreConfiguration

    func transaction(
        _ charge: Charge, of origin: PurchaseOrigin, by customer: Customer, signedDate: Instant
    ) -> [JSONValue.Member] {
        var fields: [JSONValue.Member] = []
        fields.set("transactionId", charge.transactionId)
        fields.set("originalTransactionId", origin.originalTransactionId)
        fields.set("webOrderLineItemId", charge.webOrderLineItemId)
        fields.set("bundleId", configuration.bundleId)
        fields.set("productId", charge.product.id)
        fields.set("subscriptionGroupIdentifier", charge.product.group)
        fields.set("purchaseDate", charge.purchaseDate)
        fields.set("originalPurchaseDate", origin.originalPurchaseDate)
        fields.set("expiresDate", charge.expiresDate)
        fields.set("quantity", charge.quantity)
        fields.set("type", charge.product.type.rawValue)
        fields.set("appAccountToken", charge.appAccountToken)
        fields.set("inAppOwnershipType", origin.ownership.rawValue)
        fields.set("signedDate", signedDate)
        if let revocation = charge.revocation {
            fields.set("revocationReason", revocation.reason.rawValue)
            fields.set("revocationDate", revocation.date)
            fields.set("revocationType", revocation.type.rawValue)
            fields.set("revocationPercentage", revocation.percentage)
        }
        if charge.isUpgraded { fields.set("isUpgraded", true) }
        fields.set(charge.offer)
        fields.set("environment", configuration.environment.rawValue)
        fields.set("transactionReason", charge.reason.rawValue)
        fields.set("storefront", customer.storefront.code)
        fields.set("storefrontId", customer.storefront.id)
        if let price = charge.price {
            fields.set("price", price)
            fields.set("currency", customer.storefront.currency)
        }
        fields.set("appTransactionId", customer.appTransactionId)
        fields.set("previousOriginalTransactionId", origin.previousOriginalTransactionId)
        return fields
    }

    func renewalInfo(_ subscription: Subscription, by customer: Customer, signedDate: Instant) -> [JSONValue.Member] {
        var fields: [JSONValue.Member] = []
        fields.set("expirationIntent", subscription.expirationIntent?.rawValue)
        fields.set("originalTransactionId", subscription.origin.originalTransactionId)
        fields.set("autoRenewProductId", subscription.nextProduct.id)
        fields.set("productId", subscription.newest.product.id)
        fields.set("autoRenewStatus", Int64(subscription.autoRenews ? 1 : 0))
        switch subscription.phase {
        case .gracePeriod(let until):
            fields.set("isInBillingRetryPeriod", subscription.graceSignature != .withoutRetryFlag)
            if subscription.graceSignature != .withoutDate { fields.set("gracePeriodExpiresDate", until) }
        case .billingRetry:
            fields.set("isInBillingRetryPeriod", true)
        case .expired:
            fields.set("isInBillingRetryPeriod", false)
        case .active, .revoked:
            break
        }
        if let increase = subscription.priceIncrease {
            fields.set("priceIncreaseStatus", Int64(increase.isAccepted ? 1 : 0))
        }
        if subscription.autoRenews {
            fields.set("renewalPrice", subscription.nextPrice * customer.storefront.factor)
            fields.set("currency", customer.storefront.currency)
            fields.set(subscription.nextOffer?.offer)
        }
        fields.set("signedDate", signedDate)
        fields.set("environment", configuration.environment.rawValue)
        fields.set("recentSubscriptionStartDate", subscription.recentStart)
        fields.set("renewalDate", subscription.end)
        if !subscription.eligibleWinBackOfferIds.isEmpty {
            let ids = subscription.eligibleWinBackOfferIds.map { JSONValue.string($0) }
            fields.append(.init("eligibleWinBackOfferIds", .array(ids)))
        }
        fields.set("appAccountToken", subscription.appAccountToken)
        fields.set("appTransactionId", customer.appTransactionId)
        return fields
    }

    func appTransaction(of customer: Customer, createdAt: Instant) -> [JSONValue.Member] {
        var fields: [JSONValue.Member] = []
        fields.set("receiptType", configuration.environment.rawValue)
        fields.set("appAppleId", configuration.appAppleId)
        fields.set("bundleId", configuration.bundleId)
        fields.set("applicationVersion", configuration.applicationVersion)
        fields.set("versionExternalIdentifier", configuration.versionExternalIdentifier)
        fields.set("receiptCreationDate", createdAt)
        fields.set("originalPurchaseDate", customer.downloadedAt)
        fields.set(
            "originalApplicationVersion",
            configuration.environment == .production ? configuration.firstApplicationVersion : "1.0")
        fields.set("originalPlatform", OriginalPlatform.iOS.rawValue)
        fields.set("appTransactionId", customer.appTransactionId)
        return fields
    }

    /// Returns the payload of a notification. A nested JWS is nil where the notification has none.
    func notification(
        _ notification: NotificationContent, signedDate: Instant, transaction: String?, renewalInfo: String?
    ) -> [JSONValue.Member] {
        var data: [JSONValue.Member] = []
        data.set("appAppleId", configuration.appAppleId)
        data.set("bundleId", configuration.bundleId)
        data.set("bundleVersion", configuration.applicationVersion)
        data.set("environment", configuration.environment.rawValue)
        data.set("signedTransactionInfo", transaction)
        data.set("signedRenewalInfo", renewalInfo)
        data.set("status", notification.status?.rawValue)
        data.set("consumptionRequestReason", notification.consumptionRequestReason?.rawValue)
        var fields: [JSONValue.Member] = []
        fields.set("notificationType", notification.type.rawValue)
        fields.set("subtype", notification.subtype?.rawValue)
        fields.set("notificationUUID", notification.uuid)
        if let summary = notification.summary {
            fields.append(.init("summary", .object(self.summary(summary))))
        } else {
            fields.append(.init("data", .object(data)))
        }
        fields.set("version", "2.0")
        fields.set("signedDate", signedDate)
        return fields
    }
}

extension PayloadWriter {
    private func summary(_ summary: MassExtension) -> [JSONValue.Member] {
        var fields: [JSONValue.Member] = []
        fields.set("requestIdentifier", summary.requestIdentifier)
        fields.set("environment", configuration.environment.rawValue)
        fields.set("appAppleId", configuration.appAppleId)
        fields.set("bundleId", configuration.bundleId)
        fields.set("productId", summary.productId)
        let storefronts = summary.storefronts.map { JSONValue.string($0) }
        fields.append(.init("storefrontCountryCodes", .array(storefronts)))
        fields.set("succeededCount", Int64(summary.succeeded))
        fields.set("failedCount", Int64(summary.failed))
        return fields
    }
}

/// The fields of a notification besides its nested JWS.
struct NotificationContent: Sendable {
    let type: NotificationType
    let subtype: Subtype?
    let uuid: String
    var status: SubscriptionStatusCode?
    var consumptionRequestReason: ConsumptionRequestReason?
    /// The result of a mass extension, which such a notification has in place of `data`.
    var summary: MassExtension?
    /// The purchases of the account, which a notification of version 1 states; nil unless the store writes those.
    var account: AccountPurchases?
}

extension [JSONValue.Member] {
    fileprivate mutating func set(_ key: String, _ text: String?) {
        if let text { append(.init(key, .string(text))) }
    }

    fileprivate mutating func set(_ key: String, _ number: Int64?) {
        if let number { append(.init(key, .integer(number))) }
    }

    fileprivate mutating func set(_ key: String, _ instant: Instant?) {
        if let instant { append(.init(key, .integer(instant.milliseconds))) }
    }

    fileprivate mutating func set(_ key: String, _ flag: Bool) {
        append(.init(key, .bool(flag)))
    }

    fileprivate mutating func set(_ offer: StoreOffer?) {
        guard let offer else { return }
        set("offerType", offer.type.rawValue)
        set("offerIdentifier", offer.id)
        set("offerDiscountType", offer.payment.rawValue)
        set("offerPeriod", offer.wholePeriod.iso8601)
    }
}
