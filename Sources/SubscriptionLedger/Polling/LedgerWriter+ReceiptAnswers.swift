import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import LedgerModel
import Primitives

extension LedgerWriter {
    /// Records an answer of verifyReceipt that this process received from Apple. Subscriptions that are new in it belong
    /// to the customers who claimed the subscription that the receipt was of.
    /// - Parameters:
    ///   - sent: the receipt that Apple was asked about.
    ///   - key: a subscription in it.
    /// - Throws: `StorageError`; a retryable one changes nothing.
    func record(
        _ answer: [UInt8], to question: VerifyReceiptQuestion, sent: AppReceipt, tokenOf key: SubscriptionKey,
        source: EventSource
    ) async throws -> AnswerOutcome {
        let drafted = await ingestion.draft(
            ofAnswer: answer, to: question, sent: sent, from: source, now: configuration.clock())
        switch drafted {
        case .failure(let refusal): return .refused(refusal)
        case .success(let (draft, facts)):
            let keys = Set(facts.observations.compactMap(\.key.subscription)).sorted()
            return try await postings.withLock(on: keys.map { AnyHashable($0) }) {
                let links = try claims(on: keys, like: key).map {
                    CustomerEvents.linked($0, after: nil, EventOrigin(source: source, keyName: nil))
                }
                let results = try await append(([draft] + links).map { .accepted(log.prepare($0)) }, source: source)
                guard case .appended(let result)? = results.first else { return .refused(.notAppended) }
                return .recorded(result, refused: [])
            }
        }
    }

    /// Returns claims on the subscriptions that nothing is known of: those of the customers who claimed another one.
    private func claims(on keys: [SubscriptionKey], like known: SubscriptionKey) throws -> [Claim] {
        var related = RelatedTimelines(in: reader.facts, knownAt: try reader.knownSize(nil))
        try related.add(keys + [known])
        let claims = related.ownershipEvidence(of: known, related.timelines[known] ?? Timeline()).claims
        guard !claims.isEmpty else { return [] }
        let unknown = keys.filter { key in
            key != known && related.timelines[key] == nil
                && related.ownershipEvidence(of: key, Timeline()).claims.isEmpty
        }
        // The writer assigns the positions.
        return unknown.flatMap { key in
            claims.map { Claim(key: key, customer: $0.customer, by: $0.by, position: 0) }
        }
    }
}

extension TimelineKey {
    fileprivate var subscription: SubscriptionKey? {
        if case .subscription(let key) = self { key } else { nil }
    }
}

extension Refusal {
    /// An accepted artifact is always appended.
    fileprivate static let notAppended = Refusal(.claimMalformed, "the answer was not appended")
}
