package import Primitives

/// JWSRenewalInfoDecodedPayload: the App Store's plan for the end of the period. It has no bundleId.
/// https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload
package struct RenewalInfo: Sendable {
    /// The signed JSON, including fields and values that this version does not recognize.
    package let payload: JSONView

    package let originalTransactionId: String?
    package let productId: String?
    package let autoRenewProductId: String?
    package let autoRenewStatus: AutoRenewStatus?
    package let expirationIntent: ExpirationIntent?
    /// True also during the grace period.
    package let isInBillingRetryPeriod: Bool?
    package let gracePeriodExpiresDate: Instant?
    /// The end of the most recent purchase, present also after expiry.
    package let renewalDate: Instant?
    /// Milliunits of `currency`.
    package let renewalPrice: Int64?
    package let currency: String?
    package let priceIncreaseStatus: PriceIncreaseStatus?
    package let offerType: OfferType?
    package let offerIdentifier: String?
    package let offerDiscountType: OfferDiscountType?
    package let offerPeriod: String?
    /// Ordered, the best first.
    package let eligibleWinBackOfferIds: [String]?
    package let recentSubscriptionStartDate: Instant?
    package let appAccountToken: String?
    package let appTransactionId: String?
    package let environment: Environment?
    package let signedDate: Instant?
    package let renewalBillingPlanType: BillingPlanType?
    package let commitmentInfo: CommitmentInfo?
    package let advancedCommerceInfo: AdvancedCommerceRenewalInfo?
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
        productId = try reader.string("productId")
        autoRenewProductId = try reader.string("autoRenewProductId")
        autoRenewStatus = try reader.vocabulary("autoRenewStatus")
        expirationIntent = try reader.vocabulary("expirationIntent")
        isInBillingRetryPeriod = try reader.bool("isInBillingRetryPeriod")
        gracePeriodExpiresDate = try reader.date("gracePeriodExpiresDate")
        renewalDate = try reader.date("renewalDate")
        renewalPrice = try reader.integer("renewalPrice")
        currency = try reader.string("currency")
        priceIncreaseStatus = try reader.vocabulary("priceIncreaseStatus")
        offerType = try reader.vocabulary("offerType")
        offerIdentifier = try reader.string("offerIdentifier")
        offerDiscountType = try reader.vocabulary("offerDiscountType")
        offerPeriod = try reader.string("offerPeriod")
        eligibleWinBackOfferIds = try reader.strings("eligibleWinBackOfferIds")
        recentSubscriptionStartDate = try reader.date("recentSubscriptionStartDate")
        appAccountToken = try reader.string("appAccountToken")
        appTransactionId = try reader.string("appTransactionId")
        environment = try reader.vocabulary("environment")
        signedDate = try reader.date("signedDate")
        renewalBillingPlanType = try reader.vocabulary("renewalBillingPlanType")
        commitmentInfo = try reader.object("commitmentInfo", CommitmentInfo.init)
        advancedCommerceInfo = try reader.object("advancedCommerceInfo", AdvancedCommerceRenewalInfo.init)
        deviceVerification = try reader.string("deviceVerification")
        deviceVerificationNonce = try reader.string("deviceVerificationNonce")
    }

    /// The renewal of a twelve-month commitment at its end.
    package struct CommitmentInfo: Sendable {
        package let commitmentAutoRenewProductId: String?
        package let commitmentAutoRenewStatus: AutoRenewStatus?
        package let commitmentRenewalBillingPlanType: BillingPlanType?
        package let commitmentRenewalDate: Instant?
        /// Milliunits of the renewal's currency.
        package let commitmentRenewalPrice: Int64?

        init(_ reader: PayloadReader) throws(PayloadError) {
            commitmentAutoRenewProductId = try reader.string("commitmentAutoRenewProductId")
            commitmentAutoRenewStatus = try reader.vocabulary("commitmentAutoRenewStatus")
            commitmentRenewalBillingPlanType = try reader.vocabulary("commitmentRenewalBillingPlanType")
            commitmentRenewalDate = try reader.date("commitmentRenewalDate")
            commitmentRenewalPrice = try reader.integer("commitmentRenewalPrice")
        }
    }
}
