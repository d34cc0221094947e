package import AppStoreModel
package import LedgerModel
import LedgerStorage
package import Primitives

extension FactIndex {
    /// Returns the keys with this originalTransactionId, sorted.
    package func keys(
        ofOriginalTransactionId id: String, environment: Environment? = nil, bundleId: String? = nil
    ) throws -> [SubscriptionKey] {
        let observations = try observations(under: .originalTransactionId(id))
        let keys = observations.compactMap { keyed -> SubscriptionKey? in
            guard case .subscription(let key) = keyed.key, key.originalTransactionId == id,
                environment.map({ $0 == key.environment }) ?? true, bundleId.map({ $0 == key.bundleId }) ?? true
            else { return nil }
            return key
        }
        return Set(keys).sorted()
    }

    /// Returns the facts of one event, and the time it was recorded.
    /// - Returns: nil for a position that is not derived yet; nil facts for an event without facts.
    package func facts(at position: Position) throws -> (recordedAt: Instant, facts: EventFacts?)? {
        try event(at: position).map { ($0.recordedAt, $0.facts) }
    }

    /// Returns the timelines of a key and of every key that may be joined with it, as known when the log contained
    /// `size` events.
    package func timelines(around key: SubscriptionKey, knownAt size: Position) throws -> [SubscriptionKey: Timeline] {
        var related = RelatedTimelines(in: self, knownAt: size)
        try related.add([key])
        return related.timelines
    }

    /// Returns the keys that a customer claimed, refused claims included, or received by transfer. The claims of other
    /// handles merged with this one are not included.
    package func keys(claimedBy handle: CustomerHandle, knownAt size: Position) throws -> Set<SubscriptionKey> {
        try statements(about: handle, knownAt: size).keys
    }

    /// Returns these keys, the downloads that the customer claimed, and the grants of entitlements to the customer, in
    /// any order.
    package func statements(
        about handle: CustomerHandle, knownAt size: Position
    ) throws -> (keys: Set<SubscriptionKey>, downloads: Set<AppAccountKey>, grants: [EntitlementGrant]) {
        try facts(under: .claims(of: handle), below: size).reduce(into: ([], [], [])) { statements, facts in
            switch facts.customerFact {
            case .claim(let claim), .refusedClaim(let claim): statements.keys.insert(claim.key)
            case .transfer(let transfer): statements.keys.insert(transfer.key)
            case .grant(let grant): statements.grants.append(grant)
            case .download(let claim): statements.downloads.insert(claim.account)
            case .directory, .token, .consent, nil: break
            }
        }
    }

    /// Returns the newest consent of a customer; nil when there is none. Those of other handles merged with this one are
    /// not included.
    package func consent(of handle: CustomerHandle, knownAt size: Position) throws -> ConsumptionConsent? {
        try facts(under: .claims(of: handle), below: size).compactMap { facts in
            if case .consent(let consent) = facts.customerFact { consent } else { nil }
        }
        .max { $0.position < $1.position }
    }

    /// Returns the tokens mapped to a customer. The tokens of other handles merged with this one are not included.
    package func tokens(mappedTo handle: CustomerHandle, knownAt size: Position) throws -> Set<AppAccountToken> {
        try facts(under: .claims(of: handle), below: size).reduce(into: []) { tokens, facts in
            if case .token(let mapping) = facts.customerFact { tokens.insert(mapping.token) }
        }
    }

    /// Returns the customers to which a token was mapped, the first one first. A later one counts only if those before it
    /// were erased.
    package func customers(mappedTo token: AppAccountToken, knownAt size: Position) throws -> [CustomerHandle] {
        let mappings = try facts(under: .mapping(of: token), below: size).compactMap { facts -> TokenMapping? in
            if case .token(let mapping) = facts.customerFact { mapping } else { nil }
        }
        return mappings.sorted { $0.position < $1.position }.map(\.customer)
    }

    /// Returns the merges and unmerges that involve a handle.
    package func directoryChanges(of handle: CustomerHandle, knownAt size: Position) throws -> [DirectoryChange] {
        try facts(under: .merges(of: handle), below: size).compactMap { facts in
            if case .directory(let change) = facts.customerFact { change } else { nil }
        }
    }

    /// Returns the positions of the events of a term, ascending.
    package func positions(under term: IndexTerm) throws -> [Position] {
        try events(under: term) { _ in true }.map(\.position).sorted()
    }

    private func observations(under term: IndexTerm) throws -> [KeyedObservation] {
        try facts(under: term, below: .max).flatMap(\.observations)
    }

    private func facts(under term: IndexTerm, below size: Position) throws -> [EventFacts] {
        try events(under: term) { $0 < size }.compactMap(\.facts)
    }
}
