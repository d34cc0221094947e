import AppStoreModel
package import LedgerAPI
package import LedgerModel
import Primitives
package import SubscriptionStatus

extension SubscriptionRow {
    package init(_ state: SubscriptionState) {
        self.init(
            id: SubscriptionID(state.key), productId: state.productId?.text,
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

extension SubscriptionID {
    package init(_ key: SubscriptionKey) {
        self.init(
            environment: key.environment.rawValue, bundleId: key.bundleId,
            originalTransactionId: key.originalTransactionId)
    }
}

extension OfferTerms {
    init(_ offer: TransactionFact.Offer) {
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

extension SubscriptionHistoryRow {
    /// - Parameter explained: adds the rule and its explanation to each row.
    package init(_ history: SubscriptionHistory, explained: Bool) {
        self.init(
            id: SubscriptionID(history.key),
            transitions: history.transitions.map { HistoryRow($0, explained: explained) })
    }
}

extension SubscriptionHistoryRow {
    /// Adds the changes of owners to the row of the same instant, else as new rows.
    mutating func add(
        _ owners: OwnerHistory, to key: SubscriptionKey, in lineages: [Lineage], _ rules: Rules, explained: Bool
    ) throws {
        for entry in owners.entries {
            try WorkLimit.check()
            let words = entry.change.words.map(\.rawValue)
            if let index = transitions.firstIndex(where: { $0.at == entry.at }) {
                transitions[index].change += words
            } else if let row = HistoryRow(entry, of: key, in: lineages, rules, explained: explained) {
                transitions.append(row)
            }
        }
        transitions.sort { $0.at < $1.at }
    }
}

extension HistoryRow {
    package init(_ transition: Transition, explained: Bool) {
        self.init(
            transition.to, at: transition.at, change: transition.change, from: transition.from?.status,
            cause: transition.cause.name, recordedAt: transition.recordedAt, evidence: transition.evidence,
            sentence: explained ? transition.explanation : nil)
    }

    /// Creates the row of a change of owners alone; nil while the key has no state.
    fileprivate init?(
        _ entry: OwnerHistory.Entry, of key: SubscriptionKey, in lineages: [Lineage], _ rules: Rules, explained: Bool
    ) {
        guard let state = lineages.states(at: entry.at, rules: rules).first(where: { $0.key == key }) else {
            return nil
        }
        let cause: String
        let recordedAt: Instant
        let position: Position
        switch entry.statement {
        case .decision(let decision):
            (cause, recordedAt, position) = (decision.cause, entry.at, decision.position)
        case .token(let source):
            let lineage = lineages.first { $0.subscriptions.contains { $0.key == key } }
            cause = (lineage?.cause(of: source) ?? .transaction).name
            (recordedAt, position) = (source.recordedAt, source.position)
        }
        self.init(
            state, at: entry.at, change: entry.change.words, from: state.status, cause: cause,
            recordedAt: recordedAt, evidence: [position], sentence: explained ? entry.change.sentence : nil)
    }

    private init(
        _ state: SubscriptionState, at instant: Instant, change: [ChangeWord], from: Status?, cause: String,
        recordedAt: Instant?, evidence: [Position], sentence: String?
    ) {
        self.init(
            at: instant, change: change.map(\.rawValue), from: from?.rawValue, to: state.status.rawValue,
            cause: cause, productId: state.productId?.text, transactionId: state.transactionId?.text,
            expiresAt: state.expiresAt,
            reason: state.reason.rawValue, access: state.access.rawValue, willRenew: state.willRenew,
            pendingProductId: state.pendingProductId?.text, price: state.price?.price,
            currency: state.price?.currency?.text,
            offer: state.offer.map(OfferTerms.init), recordedAt: recordedAt, evidence: evidence,
            explanation: sentence.map { Explanation(rule: state.decision.name, sentence: $0) })
    }
}
