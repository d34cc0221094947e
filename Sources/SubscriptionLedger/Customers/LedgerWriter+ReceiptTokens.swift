import AppStoreModel
import EventLog
import FactStore
import Ingestion
import LedgerAPI
import LedgerModel
import Primitives

extension LedgerWriter {
    /// Prepares mappings of the appAccountTokens that Apple signs for the purchases of a receipt. Each goes to the customer
    /// for whom a backend posted the receipt, as if the receipt had stated the token.
    ///
    /// A receipt states no tokens, so they come later, in the first notification of version 2 or the first answer of the
    /// App Store Server API. Without the mapping, a token that nobody has would take the purchase from the customer. Only
    /// apps with a shared secret have receipts.
    func mappingsOfReceipts(for events: [PreparedEvent], _ source: EventSource) async throws -> [PreparedEvent] {
        guard !configuration.secrets.isEmpty, source != .file, source != .import else { return [] }
        let purchases = events.flatMap(\.purchases)
        guard !purchases.isEmpty else { return [] }
        var lookup = try CustomerLookup(in: reader)
        var mappings: [TokenMapping] = []
        for (key, fact) in purchases {
            guard let token = fact.appAccountToken, try lookup.owner(of: token) == .bearer(token),
                let customer = try receiptCustomer(of: fact.transactionId, key, &lookup)
            else { continue }
            mappings += try await add([token], to: customer)
            lookup.assume(customer, for: token)
        }
        let origin = EventOrigin(source: source, keyName: nil)
        return try mappings.map { try prepared($0, origin) }
    }

    /// Returns the only customer for whom a backend posted a receipt with this purchase.
    private func receiptCustomer(
        of transactionId: AppleID, _ key: SubscriptionKey, _ lookup: inout CustomerLookup
    ) throws -> CustomerHandle? {
        let known = try KnownKeys([key], in: reader.facts, knownAt: lookup.size)
        guard known.timelines[key]?.isOfReceipt(transactionId) == true else { return nil }
        return try lookup.onlyBackendCustomer(of: known.evidence(of: key).claims)
    }
}

extension CustomerLookup {
    /// Returns the customer of the claims of backends; nil when there are several or none.
    mutating func onlyBackendCustomer(of claims: [Claim]) throws -> CustomerHandle? {
        var customers: Set<CustomerHandle> = []
        for claim in claims where claim.by > .app {
            let customer = try customer(of: claim.customer)
            if !directory.isErased(customer) { customers.insert(customer) }
        }
        return customers.count == 1 ? customers.first : nil
    }
}

extension [PostedTransaction] {
    /// Returns the tokens that Apple signed earlier for the purchases of receipts among them.
    /// - Parameter timelines: those of their keys.
    func tokensOfReceipts(in timelines: [SubscriptionKey: Timeline]) -> Set<AppAccountToken> {
        reduce(into: []) { tokens, posted in
            // A receipt of iOS 6 has no observations of purchases.
            guard posted.observations.allSatisfy({ $0.source.rank == .receiptFile }) else { return }
            let id = AppleID(posted.name.transactionId)
            for stated in timelines[posted.key]?.transactions ?? [] where stated.isSignedPurchase(id) {
                if let token = stated.value.appAccountToken { tokens.insert(token) }
            }
        }
    }
}

extension PreparedEvent {
    /// The purchases that Apple signed in the event, except those of family members, which carry the purchaser's token.
    fileprivate var purchases: [(SubscriptionKey, TransactionFact)] {
        guard let indexed = attachment as? IndexedFacts,
            let facts = EventFacts(bytes: indexed.bytes, position: 0, recordedAt: .earliest)
        else { return [] }
        return facts.observations.compactMap { keyed in
            guard case .subscription(let key) = keyed.key, case .transaction(let fact) = keyed.observation.fact,
                keyed.observation.source.rank == .jws, fact.inAppOwnershipType != .familyShared
            else { return nil }
            return (key, fact)
        }
    }
}

extension Timeline {
    /// Whether a receipt, or an answer to one, states a purchase.
    fileprivate func isOfReceipt(_ id: AppleID) -> Bool {
        transactions.contains {
            $0.value.transactionId == id && $0.source.rank < .jws && $0.source.rank > .notificationV1
        }
    }
}

extension Observed<TransactionFact> {
    fileprivate func isSignedPurchase(_ id: AppleID) -> Bool {
        value.transactionId == id && source.rank == .jws && value.inAppOwnershipType != .familyShared
    }
}
