import AppStoreModel
package import LedgerAPI
package import LedgerModel
import Primitives
package import SubscriptionStatus

extension SubscriptionID {
    package init(_ key: SubscriptionKey) {
        self.init(
            environment: key.environment.rawValue, bundleId: key.bundleId,
            originalTransactionId: key.originalTransactionId)
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
