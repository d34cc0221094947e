import AppStoreModel
import Primitives

extension RenewalFact {
    func encode(to writer: inout FactWriter) {
        writer.field(1, appTransactionId)
        writer.field(2, productId)
        writer.field(3, autoRenewProductId)
        writer.field(4, autoRenewStatus)
        writer.field(5, expirationIntent)
        writer.field(6, isInBillingRetryPeriod)
        writer.field(7, gracePeriodExpiresDate)
        writer.field(8, renewalDate)
        writer.field(9, recentSubscriptionStartDate)
        writer.field(10, priceIncreaseStatus)
        writer.list(11, eligibleWinBackOfferIds?.value.ids ?? []) { $0.symbol($1) }
        writer.field(12, appAccountToken?.uuid)
        writer.field(13, renewalPrice?.price)
        writer.field(14, renewalPrice?.currency)
        writer.field(15, offer?.offerType)
        writer.field(16, offer?.offerIdentifier)
        writer.field(17, offer?.offerDiscountType)
        writer.field(18, offer?.offerPeriod)
        writer.field(19, commitment?.renewalBillingPlanType)
        writer.field(20, commitment?.commitmentAutoRenewProductId)
        writer.field(21, commitment?.commitmentAutoRenewStatus)
        writer.field(22, commitment?.commitmentRenewalBillingPlanType)
        writer.field(23, commitment?.commitmentRenewalDate)
        writer.field(24, commitment?.commitmentRenewalPrice)
        writer.flag(25, isOneOfSeveral)
        writer.flag(26, isRemoved)
    }

    init(from reader: inout FactReader) throws(FactCodecError) {
        self.init()
        appTransactionId = try reader.appleID(1)
        productId = try reader.symbol(2)
        autoRenewProductId = try reader.symbol(3)
        autoRenewStatus = try reader.vocabulary(4)
        expirationIntent = try reader.vocabulary(5)
        isInBillingRetryPeriod = try reader.bool(6)
        gracePeriodExpiresDate = try reader.instant(7)
        renewalDate = try reader.instant(8)
        recentSubscriptionStartDate = try reader.instant(9)
        priceIncreaseStatus = try reader.vocabulary(10)
        eligibleWinBackOfferIds = OfferIdentifiers.interned(
            try reader.list(11) { reader throws(FactCodecError) in try reader.symbol() })
        appAccountToken = try reader.appAccountToken(12)
        renewalPrice = try TransactionFact.Price(from: &reader, price: 13, currency: 14)
        offer = try TransactionFact.Offer(
            offerType: reader.vocabulary(15), offerIdentifier: reader.symbol(16),
            offerDiscountType: reader.vocabulary(17), offerPeriod: reader.symbol(18))
        commitment = try Commitment(from: &reader)
        isOneOfSeveral = reader.flag(25)
        isRemoved = reader.flag(26)
    }
}

extension RenewalFact.Commitment {
    /// Nil when no field is stated.
    fileprivate init?(from reader: inout FactReader) throws(FactCodecError) {
        self.init()
        renewalBillingPlanType = try reader.vocabulary(19)
        commitmentAutoRenewProductId = try reader.symbol(20)
        commitmentAutoRenewStatus = try reader.vocabulary(21)
        commitmentRenewalBillingPlanType = try reader.vocabulary(22)
        commitmentRenewalDate = try reader.instant(23)
        commitmentRenewalPrice = try reader.integer(24)
        if self == Self() { return nil }
    }
}
