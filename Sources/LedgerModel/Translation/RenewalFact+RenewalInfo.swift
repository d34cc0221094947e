import AppStoreModel

extension RenewalFact {
    init(_ renewalInfo: RenewalInfo) {
        self.init()
        productId = renewalInfo.productId?.symbol
        autoRenewProductId = renewalInfo.autoRenewProductId?.symbol
        autoRenewStatus = renewalInfo.autoRenewStatus
        expirationIntent = renewalInfo.expirationIntent
        isInBillingRetryPeriod = renewalInfo.isInBillingRetryPeriod
        gracePeriodExpiresDate = renewalInfo.gracePeriodExpiresDate
        renewalDate = renewalInfo.renewalDate
        recentSubscriptionStartDate = renewalInfo.recentSubscriptionStartDate
        priceIncreaseStatus = renewalInfo.priceIncreaseStatus
        eligibleWinBackOfferIds = OfferIdentifiers.interned(
            renewalInfo.eligibleWinBackOfferIds?.compactMap(\.symbol) ?? [])
        appAccountToken = renewalInfo.appAccountToken.flatMap { AppAccountToken($0) }
        appTransactionId = renewalInfo.appTransactionId?.appleID
        renewalPrice = renewalInfo.renewalPrice.map {
            TransactionFact.Price(price: $0, currency: renewalInfo.currency?.symbol)
        }
        offer = TransactionFact.Offer(
            offerType: renewalInfo.offerType, offerIdentifier: renewalInfo.offerIdentifier?.symbol,
            offerDiscountType: renewalInfo.offerDiscountType?.stated, offerPeriod: renewalInfo.offerPeriod?.symbol)
        commitment = Commitment(renewalInfo)
    }
}

extension RenewalFact.Commitment {
    /// Nil when no field is stated.
    fileprivate init?(_ renewalInfo: RenewalInfo) {
        self.init()
        renewalBillingPlanType = renewalInfo.renewalBillingPlanType?.stated
        commitmentAutoRenewProductId = renewalInfo.commitmentInfo?.commitmentAutoRenewProductId?.symbol
        commitmentAutoRenewStatus = renewalInfo.commitmentInfo?.commitmentAutoRenewStatus
        commitmentRenewalBillingPlanType = renewalInfo.commitmentInfo?.commitmentRenewalBillingPlanType?.stated
        commitmentRenewalDate = renewalInfo.commitmentInfo?.commitmentRenewalDate
        commitmentRenewalPrice = renewalInfo.commitmentInfo?.commitmentRenewalPrice
        if self == Self() { return nil }
    }
}
