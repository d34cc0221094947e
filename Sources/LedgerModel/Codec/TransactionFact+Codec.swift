import AppStoreModel
import Primitives

extension TransactionFact {
    func encode(to writer: inout FactWriter) {
        writer.id(transactionId)
        writer.field(1, appTransactionId)
        writer.field(2, previousOriginalTransactionId)
        writer.field(3, webOrderLineItemId)
        writer.field(4, productId)
        writer.field(5, subscriptionGroupIdentifier)
        writer.field(6, type)
        writer.field(7, inAppOwnershipType)
        writer.field(8, transactionReason)
        writer.field(9, purchaseDate)
        writer.field(10, expiresDate)
        writer.flag(11, isUpgraded)
        writer.field(12, revocation?.revocationDate)
        writer.field(13, revocation?.revocationReason)
        writer.field(14, revocation?.revocationType)
        writer.field(15, revocation?.revocationPercentage)
        writer.field(16, offer?.offerType)
        writer.field(17, offer?.offerIdentifier)
        writer.field(18, offer?.offerDiscountType)
        writer.field(19, offer?.offerPeriod)
        writer.field(20, price?.price)
        writer.field(21, price?.currency)
        writer.field(22, appAccountToken?.uuid)
        writer.field(23, originalPurchaseDate)
        writer.field(24, quantity)
        writer.field(25, storefront)
        writer.field(26, commitment?.billingPlanType)
        writer.field(27, commitment?.billingPeriodNumber)
        writer.field(28, commitment?.totalBillingPeriods)
        writer.field(29, commitment?.commitmentExpiresDate)
        writer.field(30, commitment?.commitmentPrice)
        writer.list(31, itemRevocations?.value.items ?? []) { writer, revocation in
            writer.symbol(revocation.SKU)
            writer.integer(revocation.revocationDate.milliseconds)
        }
    }

    init(from reader: inout FactReader) throws(FactCodecError) {
        self.init(transactionId: try reader.id())
        appTransactionId = try reader.appleID(1)
        previousOriginalTransactionId = try reader.appleID(2)
        webOrderLineItemId = try reader.appleID(3)
        productId = try reader.symbol(4)
        subscriptionGroupIdentifier = try reader.symbol(5)
        type = try reader.vocabulary(6)
        inAppOwnershipType = try reader.vocabulary(7)
        transactionReason = try reader.vocabulary(8)
        purchaseDate = try reader.instant(9)
        expiresDate = try reader.instant(10)
        isUpgraded = reader.flag(11)
        revocation = try Revocation(from: &reader)
        offer = try Offer(
            offerType: reader.vocabulary(16), offerIdentifier: reader.symbol(17),
            offerDiscountType: reader.vocabulary(18), offerPeriod: reader.symbol(19))
        price = try Price(from: &reader, price: 20, currency: 21)
        appAccountToken = try reader.appAccountToken(22)
        originalPurchaseDate = try reader.instant(23)
        quantity = try reader.integer(24)
        storefront = try reader.symbol(25)
        commitment = try Commitment(from: &reader)
        itemRevocations = ItemRevocations.interned(
            try reader.list(31) { reader throws(FactCodecError) in
                ItemRevocation(
                    SKU: try reader.symbol(), revocationDate: Instant(milliseconds: try reader.integer()))
            })
    }
}

extension TransactionFact.Revocation {
    fileprivate init?(from reader: inout FactReader) throws(FactCodecError) {
        guard let revocationDate = try reader.instant(12) else { return nil }
        self.init(revocationDate: revocationDate)
        revocationReason = try reader.vocabulary(13)
        revocationType = try reader.vocabulary(14)
        revocationPercentage = try reader.integer(15)
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
        billingPlanType = try reader.vocabulary(26)
        billingPeriodNumber = try reader.integer(27)
        totalBillingPeriods = try reader.integer(28)
        commitmentExpiresDate = try reader.instant(29)
        commitmentPrice = try reader.integer(30)
        if self == Self() { return nil }
    }
}
