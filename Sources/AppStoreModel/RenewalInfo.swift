package import Primitives

/// JWSRenewalInfoDecodedPayload: what the App Store means to do at the end of the period. It carries no bundleId.
/// https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload
package struct RenewalInfo: Sendable {
    /// The signed JSON itself, in which fields and values unknown today survive.
    package let payload: JSONView

    package let originalTransactionId: String?
    package let productId: String?
    package let autoRenewProductId: String?
    package let autoRenewStatus: AutoRenewStatus?
    package let expirationIntent: ExpirationIntent?
    /// True also during grace.
    package let isInBillingRetryPeriod: Bool?
    package let gracePeriodExpiresDate: Instant?
    /// End of the most recent purchase, present also after expiry.
    package let renewalDate: Instant?
    /// Milliunits of `currency`.
    package let renewalPrice: Int64?
    package let currency: String?
    package let priceIncreaseStatus: PriceIncreaseStatus?
    package let offerType: OfferType?
    package let offerIdentifier: String?
    package let offerDiscountType: OfferDiscountType?
    package let offerPeriod: String?
    /// Best first.
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
        let reader = try PayloadReader(payload)
        self.payload = payload
        originalTransactionId = reader.string("originalTransactionId")
        productId = reader.string("productId")
        autoRenewProductId = reader.string("autoRenewProductId")
        autoRenewStatus = reader.vocabulary("autoRenewStatus")
        expirationIntent = reader.vocabulary("expirationIntent")
        isInBillingRetryPeriod = reader.bool("isInBillingRetryPeriod")
        gracePeriodExpiresDate = try reader.date("gracePeriodExpiresDate")
        renewalDate = try reader.date("renewalDate")
        renewalPrice = reader.integer("renewalPrice")
        currency = reader.string("currency")
        priceIncreaseStatus = reader.vocabulary("priceIncreaseStatus")
        offerType = reader.vocabulary("offerType")
        offerIdentifier = reader.string("offerIdentifier")
        offerDiscountType = reader.vocabulary("offerDiscountType")
        offerPeriod = reader.string("offerPeriod")
        eligibleWinBackOfferIds = reader.strings("eligibleWinBackOfferIds")
        recentSubscriptionStartDate = try reader.date("recentSubscriptionStartDate")
        appAccountToken = reader.string("appAccountToken")
        appTransactionId = reader.string("appTransactionId")
        environment = reader.vocabulary("environment")
        signedDate = try reader.date("signedDate")
        renewalBillingPlanType = reader.vocabulary("renewalBillingPlanType")
        commitmentInfo = try reader.object("commitmentInfo", CommitmentInfo.init)
        advancedCommerceInfo = try reader.object("advancedCommerceInfo", AdvancedCommerceRenewalInfo.init)
        deviceVerification = reader.string("deviceVerification")
        deviceVerificationNonce = reader.string("deviceVerificationNonce")
    }

    /// What happens when a commitment of twelve months ends.
    package struct CommitmentInfo: Sendable {
        package let commitmentAutoRenewProductId: String?
        package let commitmentAutoRenewStatus: AutoRenewStatus?
        package let commitmentRenewalBillingPlanType: BillingPlanType?
        package let commitmentRenewalDate: Instant?
        /// Milliunits of the renewal's currency.
        package let commitmentRenewalPrice: Int64?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            commitmentAutoRenewProductId = reader.string("commitmentAutoRenewProductId")
            commitmentAutoRenewStatus = reader.vocabulary("commitmentAutoRenewStatus")
            commitmentRenewalBillingPlanType = reader.vocabulary("commitmentRenewalBillingPlanType")
            commitmentRenewalDate = try reader.date("commitmentRenewalDate")
            commitmentRenewalPrice = reader.integer("commitmentRenewalPrice")
        }
    }
}
