import AppStoreModel

extension TransactionFact {
    /// Creates a fact; nil without a transactionId.
    init?(_ transaction: Transaction) {
        guard let transactionId = transaction.transactionId?.appleID else { return nil }
        self.init(transactionId: transactionId)
        webOrderLineItemId = transaction.webOrderLineItemId?.appleID.flatMap { $0 == "0" ? nil : $0 }
        productId = transaction.productId?.symbol
        subscriptionGroupIdentifier = transaction.subscriptionGroupIdentifier?.symbol
        type = transaction.type?.stated
        inAppOwnershipType = transaction.inAppOwnershipType?.stated
        transactionReason = transaction.transactionReason?.stated
        purchaseDate = transaction.purchaseDate
        originalPurchaseDate = transaction.originalPurchaseDate
        expiresDate = transaction.expiresDate
        quantity = transaction.quantity
        storefront = transaction.storefront?.symbol
        isUpgraded = transaction.isUpgraded ?? false
        revocation = Revocation(transaction)
        offer = Offer(
            offerType: transaction.offerType, offerIdentifier: transaction.offerIdentifier?.symbol,
            offerDiscountType: transaction.offerDiscountType?.stated, offerPeriod: transaction.offerPeriod?.symbol)
        price = transaction.price.map { Price(price: $0, currency: transaction.currency?.symbol) }
        commitment = Commitment(transaction)
        itemRevocations = ItemRevocations.interned(
            (transaction.advancedCommerceInfo?.items ?? []).compactMap { item in
                guard let SKU = item.SKU?.symbol, let revocationDate = item.revocationDate else { return nil }
                return ItemRevocation(SKU: SKU, revocationDate: revocationDate)
            })
        appAccountToken = transaction.appAccountToken.flatMap { AppAccountToken($0) }
        appTransactionId = transaction.appTransactionId?.appleID
        previousOriginalTransactionId = transaction.previousOriginalTransactionId?.appleID
    }
}

extension TransactionFact.Commitment {
    /// Nil when no field is stated.
    fileprivate init?(_ transaction: Transaction) {
        self.init()
        billingPlanType = transaction.billingPlanType?.stated
        billingPeriodNumber = transaction.commitmentInfo?.billingPeriodNumber
        totalBillingPeriods = transaction.commitmentInfo?.totalBillingPeriods
        commitmentExpiresDate = transaction.commitmentInfo?.commitmentExpiresDate
        commitmentPrice = transaction.commitmentInfo?.commitmentPrice
        if self == Self() { return nil }
    }
}

extension TransactionFact.Revocation {
    fileprivate init?(_ transaction: Transaction) {
        guard let revocationDate = transaction.revocationDate else { return nil }
        self.init(revocationDate: revocationDate)
        revocationReason = transaction.revocationReason
        revocationType = transaction.revocationType?.stated
        revocationPercentage = transaction.revocationPercentage
    }
}
