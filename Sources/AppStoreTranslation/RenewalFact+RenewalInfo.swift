import AppStoreModel
import LedgerModel

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
        commitmentAutoRenewStatus = renewalInfo.commitmentInfo?.commitmentAutoRenewStatus
    }
}
