package import AppStoreModel
import EventLog
import FactStore
package import LedgerAPI
package import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionStatus

/// The selection of a query's subscriptions.
package struct SubscriptionSelector: Sendable {
    package var originalTransactionId: String
    package var environment: Environment?
    package var bundleId: String?
    /// The limits of the caller's API key.
    package var limits = KeyLimits()

    package init(originalTransactionId: String, environment: Environment? = nil, bundleId: String? = nil) {
        self.originalTransactionId = originalTransactionId
        self.environment = environment
        self.bundleId = bundleId
    }
}

extension LedgerReader {
    /// Returns the rows of the selected keys at `question.asOf`.
    /// - Returns: nil when no observation of such a key was known (`subscription_unknown`).
    package func state(of selector: SubscriptionSelector, _ question: AsOfQuery) throws -> StateAnswer? {
        try answer(selector, question) { lineages, keys, rules in
            lineages.states(at: question.asOf, rules: rules).filter { keys.contains($0.key) }
                .map { SubscriptionRow($0) }
        }
    }

    /// Returns the changes of the selected keys up to `question.asOf`; nil in the same case as `state`.
    /// - Parameter explained: adds the rule and its explanation to each row.
    package func history(
        of selector: SubscriptionSelector, _ question: AsOfQuery, explained: Bool = false
    ) throws -> HistoryAnswer? {
        try answer(selector, question) { lineages, keys, rules in
            try lineages.histories(until: question.asOf, rules: rules, check: WorkLimit.check)
                .filter { keys.contains($0.key) }
                .map { SubscriptionHistoryRow($0, explained: explained) }
        }
    }

    private func answer<Row>(
        _ selector: SubscriptionSelector, _ question: AsOfQuery,
        rows: ([Lineage], Set<SubscriptionKey>, Rules) throws -> [Row]
    ) throws -> Answer<Row>? {
        let size = try knownSize(question.knownAt)
        let candidates = try facts.keys(
            ofOriginalTransactionId: selector.originalTransactionId, environment: selector.environment,
            bundleId: selector.bundleId
        ).filter { selector.limits.allow(bundleId: $0.bundleId) && selector.limits.allow($0.environment) }
        var timelines: [SubscriptionKey: Timeline] = [:]
        for key in candidates {
            timelines.merge(try facts.timelines(around: key, knownAt: size)) { known, _ in known }
        }
        let known = Set(candidates.filter { timelines[$0] != nil })
        guard !known.isEmpty else { return nil }
        let rules = try rules(for: question, knownAt: size)
        let later = question.signedBy.map { timelines.countSignedLater(than: $0, in: known) }
        if let signedBy = question.signedBy { timelines = timelines.signed(by: signedBy) }
        timelines = timelines.typed(by: try catalogHistories(knownAt: size))
        var answer = Answer(
            asOf: question.asOf, knownAt: size, subscriptions: try rows(Lineage.components(of: timelines), known, rules)
        )
        answer.signed = question.signed(later: later)
        return answer
    }

    /// Returns the number of events that a question includes, at most the acknowledged size.
    /// - Throws: `KnownAtAhead` for a size above that; `StorageError`.
    package func knownSize(_ knownAt: AsOfQuery.KnownAt?) throws -> Position {
        let head = try log.size()
        // The facts of this many events are known, also while later ones are being decoded.
        if case .size(let asked) = knownAt, asked <= min(head, facts.size) { return asked }
        // A writer is notified of appends; a reader has to catch up with the log.
        if facts.size < head { try facts.catchUp(with: log) }
        let size = min(head, facts.size)
        switch knownAt {
        case nil: return size
        case .size(let asked):
            guard asked <= size else { throw KnownAtAhead(asked: asked, size: size) }
            return asked
        case .instant(let instant): return min(size, try log.size(recordedUpTo: instant))
        }
    }
}
