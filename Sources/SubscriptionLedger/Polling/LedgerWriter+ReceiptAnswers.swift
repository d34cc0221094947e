import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import LedgerModel
import Primitives

extension LedgerWriter {
    /// Records an answer of verifyReceipt that this process received from Apple. Subscriptions that are new in it belong
    /// to the customers who claimed the subscription that the receipt was of, and so do tokens that are.
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
            let tokens = facts.purchaseTokens
            return try await postings.withLock(on: keys.map { AnyHashable($0) } + tokens.map { AnyHashable($0) }) {
                let origin = EventOrigin(source: source, keyName: nil)
                let mappings = try await mappings(of: tokens, like: key).map { CustomerEvents.mapped($0, origin) }
                let links = try claims(on: keys, like: key).map { CustomerEvents.linked($0, after: nil, origin) }
                let results = try await append(
                    ([draft] + mappings + links).map { .accepted(log.prepare($0)) }, source: source)
                guard case .appended(let result)? = results.first else { return .refused(.notAppended) }
                return .recorded(result, refused: [])
            }
        }
    }

    /// Returns mappings of the tokens that nobody has to the customer of a subscription. A receipt states no tokens; had
    /// the posting of it stated them, it would have mapped them, unless an app had sent it.
    private func mappings(
        of tokens: [AppAccountToken], like known: SubscriptionKey
    ) async throws -> [TokenMapping] {
        var lookup = try CustomerLookup(in: reader)
        var related = RelatedTimelines(in: reader.facts, knownAt: lookup.size)
        try related.add([known])
        let evidence = related.ownershipEvidence(of: known, related.timelines[known] ?? Timeline())
        let claimants = try evidence.claims.filter { $0.by > .app }.map { try lookup.customer(of: $0.customer) }
        guard let customer = claimants.first, Set(claimants).count == 1 else { return [] }
        var mappings: [TokenMapping] = []
        for token in tokens where try lookup.owner(of: token) == .bearer(token) {
            let owner = try await vault.add(ExternalCustomerID(token), to: customer, logSize: lookup.size)
            mappings.append(TokenMapping(token: token, customer: owner, position: 0))
        }
        return mappings
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

extension EventFacts {
    /// The tokens of purchases, ascending. A family member's copy has the token of the purchaser.
    fileprivate var purchaseTokens: [AppAccountToken] {
        let tokens = observations.compactMap { keyed -> AppAccountToken? in
            guard case .transaction(let fact) = keyed.observation.fact, fact.inAppOwnershipType != .familyShared else {
                return nil
            }
            return fact.appAccountToken
        }
        return Set(tokens).sorted { $0.text < $1.text }
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
