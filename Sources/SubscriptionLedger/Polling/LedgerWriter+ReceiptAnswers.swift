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
        _ answer: [UInt8], to question: VerifyReceiptQuestion, sent: ReceiptContent, tokenOf key: SubscriptionKey,
        source: EventSource
    ) async throws -> AnswerOutcome {
        let drafted = await ingestion.draft(
            ofAnswer: answer, to: question, sent: sent, from: source, now: configuration.clock())
        switch drafted {
        case .failure(let refusal): return .refused(refusal)
        case .success(let drafted):
            let (draft, facts) = (drafted.draft, drafted.facts)
            let keys = Set(facts.observations.compactMap(\.key.subscription)).sorted()
            let tokens = facts.purchaseTokens
            return try await postings.withLock(on: keys.map { AnyHashable($0) } + tokens.map { AnyHashable($0) }) {
                let known = try KnownReceipt(of: key, beside: keys, in: reader)
                let origin = EventOrigin(source: source, keyName: nil)
                let mappings = try await mappings(of: tokens, to: known).map { CustomerEvents.mapped($0, origin) }
                let links = known.claims(on: keys).map { CustomerEvents.linked($0, after: nil, origin) }
                let results = try await append(
                    ([draft] + mappings + links).map { .accepted(log.prepare($0)) }, source: source)
                guard case .appended(let result)? = results.first else { return .refused(.notAppended) }
                return .recorded(result, refused: [])
            }
        }
    }

    /// Returns mappings of the tokens that nobody has to the customer of a receipt. The receipt states no tokens; had it
    /// stated them, the posting of it would have mapped them, unless an app had sent it.
    private func mappings(
        of tokens: Set<AppAccountToken>, to known: KnownReceipt
    ) async throws -> [TokenMapping] {
        var lookup = try CustomerLookup(in: reader)
        guard let customer = try lookup.onlyBackendCustomer(of: known.claims) else { return [] }
        return try await add(tokens.filter { try lookup.owner(of: $0) == .bearer($0) }, to: customer)
    }
}

/// The claims to a subscription whose receipt Apple was asked about, and the subscriptions in the answer.
private struct KnownReceipt {
    let key: SubscriptionKey
    let claims: [Claim]
    private let known: KnownKeys

    init(of key: SubscriptionKey, beside keys: [SubscriptionKey], in reader: LedgerReader) throws {
        known = try KnownKeys(keys + [key], in: reader.facts, knownAt: try reader.knownSize(nil))
        claims = known.evidence(of: key).claims
        self.key = key
    }

    /// Returns claims of the same customers on the subscriptions that nothing is known of. The writer assigns the
    /// positions.
    func claims(on keys: [SubscriptionKey]) -> [Claim] {
        guard !claims.isEmpty else { return [] }
        let unknown = keys.filter { other in
            other != key && known.timelines[other] == nil && known.evidence(of: other).claims.isEmpty
        }
        return unknown.flatMap { other in
            claims.map { Claim(key: other, customer: $0.customer, by: $0.by, position: 0) }
        }
    }
}

extension EventFacts {
    /// The tokens of purchases. A family member's copy has the token of the purchaser.
    fileprivate var purchaseTokens: Set<AppAccountToken> {
        Set(
            observations.compactMap { keyed -> AppAccountToken? in
                guard case .transaction(let fact) = keyed.observation.fact, fact.inAppOwnershipType != .familyShared
                else {
                    return nil
                }
                return fact.appAccountToken
            })
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
