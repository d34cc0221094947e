import AppStoreModel
package import LedgerAPI
package import LedgerModel
import Primitives

extension SubscriptionRow {
    package init(_ state: SubscriptionState) {
        self.init(
            id: SubscriptionID(
                environment: state.key.environment.rawValue, bundleId: state.key.bundleId,
                originalTransactionId: state.key.originalTransactionId),
            productId: state.productId?.text,
            subscriptionGroupIdentifier: state.subscriptionGroupIdentifier?.text,
            transactionId: state.transactionId?.text,
            status: state.status.rawValue, entitled: state.entitled, access: state.access.rawValue,
            accessUntil: state.accessUntil, willRenew: state.willRenew, pendingProductId: state.pendingProductId?.text,
            ownership: state.ownership?.rawValue, originalPurchaseDate: state.originalPurchaseDate,
            purchasedAt: state.purchasedAt, expiresAt: state.expiresAt,
            gracePeriodExpiresAt: state.gracePeriodExpiresAt, revokedAt: state.revokedAt, price: state.price?.price,
            currency: state.price?.currency?.text, storefront: state.storefront?.text,
            offer: state.offer.map(OfferTerms.init),
            priceIncrease: state.priceIncrease?.rawValue, autoRenewOffSince: state.autoRenewOffSince,
            billingIssueSince: state.billingIssueSince, commitment: state.commitment.map(CommitmentTerms.init),
            reason: state.reason.rawValue, nextStep: state.nextStep.rawValue, offerIds: state.offerIds,
            inferred: state.inferred, historyIncomplete: state.historyIncomplete,
            disagreement: state.disagreement.map(SubscriptionRow.Disagreement.init), evidence: state.evidence)
    }
}

extension OfferTerms {
    package init(_ offer: TransactionFact.Offer) {
        self.init(
            type: offer.offerType?.name, id: offer.offerIdentifier?.text,
            discountType: offer.offerDiscountType?.name, period: offer.offerPeriod?.text)
    }
}

extension SubscriptionRow.CommitmentTerms {
    fileprivate init(_ commitment: Commitment) {
        self.init(
            endsAt: commitment.endsAt, willRenew: commitment.willRenew, productId: commitment.productId?.text,
            period: commitment.period, of: commitment.of)
    }
}

extension SubscriptionRow.Disagreement {
    package init(_ disagreement: SubscriptionStatus.Disagreement) {
        self.init(
            position: disagreement.position, signed: disagreement.signed.rawValue,
            folded: disagreement.folded.rawValue)
    }
}
