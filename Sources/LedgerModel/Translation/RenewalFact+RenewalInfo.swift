import AppStoreModel

extension RenewalFact {
    init(_ renewalInfo: RenewalInfo) {
        self.init()
        productId = renewalInfo.productId?.stated
        autoRenewProductId = renewalInfo.autoRenewProductId?.stated
        autoRenewStatus = renewalInfo.autoRenewStatus
        expirationIntent = renewalInfo.expirationIntent
        isInBillingRetryPeriod = renewalInfo.isInBillingRetryPeriod
        gracePeriodExpiresDate = renewalInfo.gracePeriodExpiresDate
        renewalDate = renewalInfo.renewalDate
        recentSubscriptionStartDate = renewalInfo.recentSubscriptionStartDate
        priceIncreaseStatus = renewalInfo.priceIncreaseStatus
        eligibleWinBackOfferIds = renewalInfo.eligibleWinBackOfferIds?.compactMap(\.stated) ?? []
        appAccountToken = renewalInfo.appAccountToken?.stated
        appTransactionId = renewalInfo.appTransactionId?.stated
        renewalPrice = renewalInfo.renewalPrice.map {
            TransactionFact.Price(price: $0, currency: renewalInfo.currency?.stated)
        }
        offer = TransactionFact.Offer(
            offerType: renewalInfo.offerType, offerIdentifier: renewalInfo.offerIdentifier?.stated,
            offerDiscountType: renewalInfo.offerDiscountType?.stated, offerPeriod: renewalInfo.offerPeriod?.stated)
        commitment = Commitment(renewalInfo)
    }
}

extension RenewalFact.Commitment {
    /// Nil when no field is stated.
    fileprivate init?(_ renewalInfo: RenewalInfo) {
        self.init()
        renewalBillingPlanType = renewalInfo.renewalBillingPlanType?.stated
        commitmentAutoRenewProductId = renewalInfo.commitmentInfo?.commitmentAutoRenewProductId?.stated
        commitmentAutoRenewStatus = renewalInfo.commitmentInfo?.commitmentAutoRenewStatus
        commitmentRenewalBillingPlanType = renewalInfo.commitmentInfo?.commitmentRenewalBillingPlanType?.stated
        commitmentRenewalDate = renewalInfo.commitmentInfo?.commitmentRenewalDate
        commitmentRenewalPrice = renewalInfo.commitmentInfo?.commitmentRenewalPrice
        if self == Self() { return nil }
    }
}
