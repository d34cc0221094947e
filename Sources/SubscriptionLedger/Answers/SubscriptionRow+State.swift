import AppStoreModel
package import LedgerAPI
package import LedgerModel
import Primitives
package import SubscriptionStatus

extension SubscriptionRow {
    package init(_ state: SubscriptionState) {
        self.init(
            id: SubscriptionID(state.key), productId: state.productId,
            subscriptionGroupIdentifier: state.subscriptionGroupIdentifier, transactionId: state.transactionId,
            status: state.status.rawValue, entitled: state.entitled, access: state.access.rawValue,
            accessUntil: state.accessUntil, willRenew: state.willRenew, pendingProductId: state.pendingProductId,
            ownership: state.ownership?.rawValue, originalPurchaseDate: state.originalPurchaseDate,
            purchasedAt: state.purchasedAt, expiresAt: state.expiresAt,
            gracePeriodExpiresAt: state.gracePeriodExpiresAt, revokedAt: state.revokedAt, price: state.price?.price,
            currency: state.price?.currency, storefront: state.storefront, offer: state.offer.map(OfferTerms.init),
            priceIncrease: state.priceIncrease?.rawValue, autoRenewOffSince: state.autoRenewOffSince,
            billingIssueSince: state.billingIssueSince, commitment: state.commitment.map(CommitmentTerms.init),
            reason: state.reason.rawValue, nextStep: state.nextStep.rawValue, offerIds: state.offerIds,
            inferred: state.inferred, historyIncomplete: state.historyIncomplete,
            disagreement: state.disagreement.map(SubscriptionRow.Disagreement.init), evidence: state.evidence)
    }
}

extension SubscriptionID {
    package init(_ key: SubscriptionKey) {
        self.init(
            environment: key.environment.rawValue, bundleId: key.bundleId,
            originalTransactionId: key.originalTransactionId)
    }
}

extension OfferTerms {
    /// Types and kinds of discount that Apple adds later keep Apple's words.
    init(_ offer: TransactionFact.Offer) {
        self.init(
            type: offer.offerType.map(Self.word), id: offer.offerIdentifier,
            discountType: offer.offerDiscountType.map(Self.word), period: offer.offerPeriod)
    }

    private static func word(for type: OfferType) -> String {
        switch type {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .offerCode: "offerCode"
        case .winBack: "winBack"
        default: type.description
        }
    }

    private static func word(for type: OfferDiscountType) -> String {
        switch type {
        case .freeTrial: "freeTrial"
        case .payAsYouGo: "payAsYouGo"
        case .payUpFront: "payUpFront"
        case .oneTime: "oneTime"
        default: type.rawValue
        }
    }
}

extension SubscriptionRow.CommitmentTerms {
    fileprivate init(_ commitment: Commitment) {
        self.init(
            endsAt: commitment.endsAt, willRenew: commitment.willRenew, productId: commitment.productId,
            period: commitment.period, of: commitment.of)
    }
}

extension SubscriptionRow.Disagreement {
    /// A status that Apple adds later keeps its number.
    package init(_ disagreement: SubscriptionStatus.Disagreement) {
        self.init(
            position: disagreement.position,
            signed: Status(signed: disagreement.signed)?.rawValue ?? disagreement.signed.description,
            folded: disagreement.folded.rawValue)
    }
}

extension SubscriptionHistoryRow {
    /// - Parameter explained: adds the rule and its explanation to each row.
    package init(_ history: SubscriptionHistory, explained: Bool) {
        self.init(
            id: SubscriptionID(history.key),
            transitions: history.transitions.map { HistoryRow($0, explained: explained) })
    }
}

extension HistoryRow {
    package init(_ transition: Transition, explained: Bool) {
        let state = transition.to
        self.init(
            at: transition.at, change: transition.change.map(\.rawValue), from: transition.from?.status.rawValue,
            to: state.status.rawValue, cause: transition.cause.name, productId: state.productId,
            transactionId: state.transactionId, expiresAt: state.expiresAt, reason: state.reason.rawValue,
            access: state.access.rawValue, willRenew: state.willRenew, pendingProductId: state.pendingProductId,
            price: state.price?.price, currency: state.price?.currency, offer: state.offer.map(OfferTerms.init),
            recordedAt: transition.recordedAt, evidence: transition.evidence,
            explanation: explained
                ? Explanation(rule: state.decision.name, sentence: transition.explanation) : nil)
    }
}
