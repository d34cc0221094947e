import AppStoreModel

extension TransactionFact {
    /// Creates a fact; nil without a transactionId.
    init?(_ transaction: Transaction) {
        guard let transactionId = transaction.transactionId?.stated else { return nil }
        self.init(transactionId: transactionId)
        webOrderLineItemId = transaction.webOrderLineItemId?.stated.flatMap { $0 == "0" ? nil : $0 }
        productId = transaction.productId?.stated
        subscriptionGroupIdentifier = transaction.subscriptionGroupIdentifier?.stated
        type = transaction.type?.stated
        inAppOwnershipType = transaction.inAppOwnershipType?.stated
        transactionReason = transaction.transactionReason?.stated
        purchaseDate = transaction.purchaseDate
        originalPurchaseDate = transaction.originalPurchaseDate
        expiresDate = transaction.expiresDate
        quantity = transaction.quantity
        storefront = transaction.storefront?.stated
        isUpgraded = transaction.isUpgraded ?? false
        revocation = Revocation(transaction)
        offer = Offer(
            offerType: transaction.offerType, offerIdentifier: transaction.offerIdentifier?.stated,
            offerDiscountType: transaction.offerDiscountType?.stated, offerPeriod: transaction.offerPeriod?.stated)
        price = transaction.price.map { Price(price: $0, currency: transaction.currency?.stated) }
        commitment = Commitment(transaction)
        itemRevocations = (transaction.advancedCommerceInfo?.items ?? []).compactMap { item in
            guard let SKU = item.SKU?.stated, let revocationDate = item.revocationDate else { return nil }
            return ItemRevocation(SKU: SKU, revocationDate: revocationDate)
        }
        appAccountToken = transaction.appAccountToken?.stated
        appTransactionId = transaction.appTransactionId?.stated
        previousOriginalTransactionId = transaction.previousOriginalTransactionId?.stated
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
