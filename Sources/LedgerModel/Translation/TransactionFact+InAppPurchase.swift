import AppStoreModel

extension TransactionFact {
    init(_ purchase: InAppPurchase) {
        self.init(transactionId: AppleID(purchase.transactionId))
        webOrderLineItemId = purchase.webOrderLineItemId?.appleID
        productId = purchase.productId.symbol
        subscriptionGroupIdentifier = purchase.subscriptionGroupIdentifier?.symbol
        type = purchase.type
        inAppOwnershipType = purchase.inAppOwnershipType?.stated.map { InAppOwnershipType(rawValue: $0) }
        purchaseDate = purchase.purchaseDate
        originalPurchaseDate = purchase.originalPurchaseDate
        expiresDate = purchase.expiresDate
        quantity = purchase.quantity
        isUpgraded = purchase.isUpgraded
        revocation = purchase.cancellationDate.map { date in
            var revocation = Revocation(revocationDate: date)
            revocation.revocationReason = purchase.cancellationReason
            if purchase.inAppOwnershipType == InAppOwnershipType.familyShared.rawValue {
                revocation.revocationType = .familyRevoke
            }
            return revocation
        }
        offer = purchase.offer.flatMap { offer in
            Offer(
                offerType: offer.offerType, offerIdentifier: offer.offerIdentifier?.symbol,
                offerDiscountType: offer.isFreeTrial ? .freeTrial : nil, offerPeriod: nil)
        }
        appAccountToken = purchase.appAccountToken.flatMap { AppAccountToken($0) }
    }
}
