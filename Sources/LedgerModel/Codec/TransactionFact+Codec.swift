import AppStoreModel
import Primitives

extension TransactionFact {
    func encode(to writer: inout FactWriter) {
        writer.id(transactionId)
        writer.field(1, appTransactionId)
        writer.field(2, previousOriginalTransactionId)
        writer.field(3, companion)
        writer.field(4, webOrderLineItemId)
        writer.field(5, productId)
        writer.field(6, subscriptionGroupIdentifier)
        writer.field(7, type)
        writer.field(8, inAppOwnershipType)
        writer.field(9, transactionReason)
        writer.field(10, purchaseDate)
        writer.field(11, expiresDate)
        writer.flag(12, isUpgraded)
        writer.field(13, revocation?.revocationDate)
        writer.field(14, revocation?.revocationReason)
        writer.field(15, revocation?.revocationType)
        writer.field(16, revocation?.revocationPercentage)
        writer.field(17, offer?.offerType)
        writer.field(18, offer?.offerIdentifier)
        writer.field(19, offer?.offerDiscountType)
        writer.field(20, offer?.offerPeriod)
        writer.field(21, price?.price)
        writer.field(22, price?.currency)
        writer.field(23, appAccountToken?.uuid)
        writer.field(24, originalPurchaseDate)
        writer.field(25, quantity)
        writer.field(26, storefront)
        writer.field(27, commitment?.billingPlanType)
        writer.field(28, commitment?.billingPeriodNumber)
        writer.field(29, commitment?.totalBillingPeriods)
        writer.field(30, commitment?.commitmentExpiresDate)
        writer.field(31, commitment?.commitmentPrice)
        writer.list(32, itemRevocations?.value.items ?? []) { writer, revocation in
            writer.symbol(revocation.SKU)
            writer.integer(revocation.revocationDate.milliseconds)
        }
        writer.flag(33, isOfFullHistory)
    }

    init(from reader: inout FactReader) throws(FactCodecError) {
        self.init(transactionId: try reader.id())
        appTransactionId = try reader.appleID(1)
        previousOriginalTransactionId = try reader.appleID(2)
        companion = try reader.appleID(3)
        webOrderLineItemId = try reader.appleID(4)
        productId = try reader.symbol(5)
        subscriptionGroupIdentifier = try reader.symbol(6)
        type = try reader.vocabulary(7)
        inAppOwnershipType = try reader.vocabulary(8)
        transactionReason = try reader.vocabulary(9)
        purchaseDate = try reader.instant(10)
        expiresDate = try reader.instant(11)
        isUpgraded = reader.flag(12)
        revocation = try Revocation(from: &reader)
        offer = try Offer(
            offerType: reader.vocabulary(17), offerIdentifier: reader.symbol(18),
            offerDiscountType: reader.vocabulary(19), offerPeriod: reader.symbol(20))
        price = try Price(from: &reader, price: 21, currency: 22)
        appAccountToken = try reader.appAccountToken(23)
        originalPurchaseDate = try reader.instant(24)
        quantity = try reader.integer(25)
        storefront = try reader.symbol(26)
        commitment = try Commitment(from: &reader)
        itemRevocations = ItemRevocations.interned(
            try reader.list(32) { reader throws(FactCodecError) in
                ItemRevocation(
                    SKU: try reader.symbol(), revocationDate: Instant(milliseconds: try reader.integer()))
            })
        isOfFullHistory = reader.flag(33)
    }
}

extension TransactionFact.Revocation {
    fileprivate init?(from reader: inout FactReader) throws(FactCodecError) {
        guard let revocationDate = try reader.instant(13) else { return nil }
        self.init(revocationDate: revocationDate)
        revocationReason = try reader.vocabulary(14)
        revocationType = try reader.vocabulary(15)
        revocationPercentage = try reader.integer(16)
    }
}

extension TransactionFact.Price {
    /// - Parameters: the tags of the two fields.
    init?(from reader: inout FactReader, price priceTag: UInt8, currency currencyTag: UInt8) throws(FactCodecError) {
        guard let price = try reader.integer(priceTag) else { return nil }
        self.init(price: price, currency: try reader.symbol(currencyTag))
    }
}

extension TransactionFact.Commitment {
    /// Nil when no field is stated.
    fileprivate init?(from reader: inout FactReader) throws(FactCodecError) {
        self.init()
        billingPlanType = try reader.vocabulary(27)
        billingPeriodNumber = try reader.integer(28)
        totalBillingPeriods = try reader.integer(29)
        commitmentExpiresDate = try reader.instant(30)
        commitmentPrice = try reader.integer(31)
        if self == Self() { return nil }
    }
}
