package import Primitives

/// JWSTransactionDecodedPayload: one charge, or the restore of one.
/// https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload
package struct Transaction: Sendable {
    /// The signed JSON, including fields and values that this version does not recognize.
    package let payload: JSONView

    package let originalTransactionId: String?
    package let transactionId: String?
    /// Identifies the purchase across devices; stable across restores, auto-renewables only.
    package let webOrderLineItemId: String?
    package let bundleId: String?
    package let productId: String?
    package let subscriptionGroupIdentifier: String?
    package let purchaseDate: Instant?
    package let originalPurchaseDate: Instant?
    package let expiresDate: Instant?
    package let quantity: Int64?
    package let type: ProductType?
    package let inAppOwnershipType: InAppOwnershipType?
    package let appAccountToken: String?
    package let signedDate: Instant?
    package let revocationDate: Instant?
    package let revocationReason: RevocationReason?
    package let revocationType: RevocationType?
    /// In thousandths of a percent: 100000 is the full amount.
    package let revocationPercentage: Int64?
    package let isUpgraded: Bool?
    package let offerType: OfferType?
    package let offerIdentifier: String?
    package let offerDiscountType: OfferDiscountType?
    /// The ISO 8601 duration of the whole offer.
    package let offerPeriod: String?
    package let environment: Environment?
    package let transactionReason: TransactionReason?
    /// ISO 3166-1 alpha-3.
    package let storefront: String?
    package let storefrontId: String?
    /// Milliunits of `currency`, for the whole quantity.
    package let price: Int64?
    package let currency: String?
    package let appTransactionId: String?
    package let previousOriginalTransactionId: String?
    package let billingPlanType: BillingPlanType?
    package let commitmentInfo: CommitmentInfo?
    package let advancedCommerceInfo: AdvancedCommerceTransactionInfo?
    package let deviceVerification: String?
    package let deviceVerificationNonce: String?

    package init(_ payload: JSONView) throws(PayloadError) {
        try self.init(payload, mistyped: .refused)
    }

    package init(
        _ payload: JSONView, mistyped: MistypedClaims, unverified: UnverifiedWords? = nil
    ) throws(PayloadError) {
        let reader = try PayloadReader(payload, mistyped: mistyped, unverified: unverified)
        self.payload = payload
        originalTransactionId = try reader.string("originalTransactionId")
        transactionId = try reader.string("transactionId")
        webOrderLineItemId = try reader.string("webOrderLineItemId")
        bundleId = try reader.string("bundleId")
        productId = try reader.string("productId")
        subscriptionGroupIdentifier = try reader.string("subscriptionGroupIdentifier")
        purchaseDate = try reader.date("purchaseDate")
        originalPurchaseDate = try reader.date("originalPurchaseDate")
        expiresDate = try reader.date("expiresDate")
        quantity = try reader.integer("quantity")
        type = try reader.vocabulary("type")
        inAppOwnershipType = try reader.vocabulary("inAppOwnershipType")
        appAccountToken = try reader.string("appAccountToken")
        signedDate = try reader.date("signedDate")
        revocationDate = try reader.date("revocationDate")
        revocationReason = try reader.vocabulary("revocationReason")
        revocationType = try reader.vocabulary("revocationType")
        revocationPercentage = try reader.integer("revocationPercentage")
        isUpgraded = try reader.bool("isUpgraded")
        offerType = try reader.vocabulary("offerType")
        offerIdentifier = try reader.string("offerIdentifier")
        offerDiscountType = try reader.vocabulary("offerDiscountType")
        offerPeriod = try reader.string("offerPeriod")
        environment = try reader.vocabulary("environment")
        transactionReason = try reader.vocabulary("transactionReason")
        storefront = try reader.string("storefront")
        storefrontId = try reader.string("storefrontId")
        price = try reader.integer("price")
        currency = try reader.string("currency")
        appTransactionId = try reader.string("appTransactionId")
        previousOriginalTransactionId = try reader.string("previousOriginalTransactionId")
        billingPlanType = try reader.vocabulary("billingPlanType")
        commitmentInfo = try reader.object("commitmentInfo", CommitmentInfo.init)
        advancedCommerceInfo = try reader.object("advancedCommerceInfo", AdvancedCommerceTransactionInfo.init)
        deviceVerification = try reader.string("deviceVerification")
        deviceVerificationNonce = try reader.string("deviceVerificationNonce")
    }

    /// A monthly plan with a twelve-month commitment. Each month has its own transaction.
    package struct CommitmentInfo: Sendable {
        package let billingPeriodNumber: Int64?
        package let totalBillingPeriods: Int64?
        package let commitmentExpiresDate: Instant?
        /// Milliunits of the transaction's currency.
        package let commitmentPrice: Int64?

        init(_ reader: PayloadReader) throws(PayloadError) {
            billingPeriodNumber = try reader.integer("billingPeriodNumber")
            totalBillingPeriods = try reader.integer("totalBillingPeriods")
            commitmentExpiresDate = try reader.date("commitmentExpiresDate")
            commitmentPrice = try reader.integer("commitmentPrice")
        }
    }
}
