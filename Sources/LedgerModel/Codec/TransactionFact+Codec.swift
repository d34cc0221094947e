import AppStoreModel
import Primitives

extension TransactionFact {
    func encode(to writer: inout FactWriter) {
        writer.id(transactionId)
        writer.field(1, webOrderLineItemId)
        writer.field(2, productId)
        writer.field(3, subscriptionGroupIdentifier)
        writer.field(4, type)
        writer.field(5, inAppOwnershipType)
        writer.field(6, transactionReason)
        writer.field(7, purchaseDate)
        writer.field(8, expiresDate)
        writer.flag(9, isUpgraded)
        writer.field(10, revocation?.revocationDate)
        writer.field(11, revocation?.revocationReason)
        writer.field(12, revocation?.revocationType)
        writer.field(13, revocation?.revocationPercentage)
        writer.field(14, offer?.offerType)
        writer.field(15, offer?.offerIdentifier)
        writer.field(16, offer?.offerDiscountType)
        writer.field(17, offer?.offerPeriod)
        writer.field(18, price?.price)
        writer.field(19, price?.currency)
        writer.field(20, appAccountToken?.uuid)
        writer.field(21, appTransactionId)
        writer.field(22, previousOriginalTransactionId)
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
        webOrderLineItemId = try reader.appleID(1)
        productId = try reader.symbol(2)
        subscriptionGroupIdentifier = try reader.symbol(3)
        type = try reader.vocabulary(4)
        inAppOwnershipType = try reader.vocabulary(5)
        transactionReason = try reader.vocabulary(6)
        purchaseDate = try reader.instant(7)
        expiresDate = try reader.instant(8)
        isUpgraded = reader.flag(9)
        revocation = try Revocation(from: &reader)
        offer = try Offer(
            offerType: reader.vocabulary(14), offerIdentifier: reader.symbol(15),
            offerDiscountType: reader.vocabulary(16), offerPeriod: reader.symbol(17))
        price = try Price(from: &reader, price: 18, currency: 19)
        appAccountToken = try reader.appAccountToken(20)
        appTransactionId = try reader.appleID(21)
        previousOriginalTransactionId = try reader.appleID(22)
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
        guard let revocationDate = try reader.instant(10) else { return nil }
        self.init(revocationDate: revocationDate)
        revocationReason = try reader.vocabulary(11)
        revocationType = try reader.vocabulary(12)
        revocationPercentage = try reader.integer(13)
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
