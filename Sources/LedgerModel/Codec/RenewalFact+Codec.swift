import AppStoreModel
import Primitives

extension RenewalFact {
    func encode(to writer: inout FactWriter) {
        writer.field(1, productId)
        writer.field(2, autoRenewProductId)
        writer.field(3, autoRenewStatus)
        writer.field(4, expirationIntent)
        writer.field(5, isInBillingRetryPeriod)
        writer.field(6, gracePeriodExpiresDate)
        writer.field(7, renewalDate)
        writer.field(8, recentSubscriptionStartDate)
        writer.field(9, priceIncreaseStatus)
        writer.field(10, eligibleWinBackOfferIds)
        writer.field(11, appAccountToken)
        writer.field(12, appTransactionId)
        writer.field(13, commitmentAutoRenewStatus)
    }

    init(from reader: inout FactReader) throws(FactCodecError) {
        self.init()
        productId = try reader.string(1)
        autoRenewProductId = try reader.string(2)
        autoRenewStatus = try reader.vocabulary(3)
        expirationIntent = try reader.vocabulary(4)
        isInBillingRetryPeriod = try reader.bool(5)
        gracePeriodExpiresDate = try reader.instant(6)
        renewalDate = try reader.instant(7)
        recentSubscriptionStartDate = try reader.instant(8)
        priceIncreaseStatus = try reader.vocabulary(9)
        eligibleWinBackOfferIds = try reader.strings(10)
        appAccountToken = try reader.string(11)
        appTransactionId = try reader.string(12)
        commitmentAutoRenewStatus = try reader.vocabulary(13)
    }
}
