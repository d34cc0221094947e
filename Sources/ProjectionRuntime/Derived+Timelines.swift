package import AppStoreModel
import AppStoreTranslation
import EventLog
package import LedgerModel
package import Primitives

extension Derived {
    /// The keys that have this originalTransactionId, in the order of keys.
    package func keys(
        ofOriginalTransactionId id: String, environment: Environment? = nil, bundleId: String? = nil
    ) throws -> [SubscriptionKey] {
        let observations = try observations(under: .originalTransactionId(id))
        let keys = observations.compactMap { filed -> SubscriptionKey? in
            guard case .subscription(let key) = filed.key, key.originalTransactionId == id,
                environment.map({ $0 == key.environment }) ?? true, bundleId.map({ $0 == key.bundleId }) ?? true
            else { return nil }
            return key
        }
        return Set(keys).sorted()
    }

    /// The facts of one event, and when it was recorded.
    /// - Returns: nil for a position that is not derived yet; nil facts for an event that states none.
    package func facts(at position: Position) throws -> (recordedAt: Instant, facts: EventFacts?)? {
        guard let stored = try event(at: position) else { return nil }
        return (stored.recordedAt, try stored.decoded())
    }

    /// The timelines of a key and of every key that may be joined with it, as known when the log held `size` events.
    package func timelines(around key: SubscriptionKey, knownAt size: Position) throws -> [SubscriptionKey: Timeline] {
        var surroundings = Surroundings(in: self, knownAt: size)
        try surroundings.add([key])
        return surroundings.timelines
    }

    /// The keys that a customer claimed, in vain or not, or got by transfer, not under another handle that was merged
    /// with it.
    package func keys(claimedBy handle: CustomerHandle, knownAt size: Position) throws -> Set<SubscriptionKey> {
        try facts(under: .claims(of: handle), below: size).reduce(into: []) { keys, facts in
            switch facts.customerFact {
            case .claim(let claim), .refusedClaim(let claim): keys.insert(claim.key)
            case .transfer(let transfer): keys.insert(transfer.key)
            case .directory, .token, nil: break
            }
        }
    }

    /// The tokens mapped to a customer, not under another handle that was merged with it.
    package func tokens(mappedTo handle: CustomerHandle, knownAt size: Position) throws -> Set<AppAccountToken> {
        try facts(under: .claims(of: handle), below: size).reduce(into: []) { tokens, facts in
            if case .token(let mapping) = facts.customerFact { tokens.insert(mapping.token) }
        }
    }

    /// The customer that a token was mapped to first; nil for a token that was mapped to none.
    package func customer(mappedTo token: AppAccountToken, knownAt size: Position) throws -> CustomerHandle? {
        let mappings = try facts(under: .mapping(of: token), below: size).compactMap { facts -> TokenMapping? in
            if case .token(let mapping) = facts.customerFact { mapping } else { nil }
        }
        return mappings.min { $0.position < $1.position }?.customer
    }

    /// The merges and unmerges that a handle took part in.
    package func directoryChanges(of handle: CustomerHandle, knownAt size: Position) throws -> [DirectoryChange] {
        try facts(under: .merges(of: handle), below: size).compactMap { facts in
            if case .directory(let change) = facts.customerFact { change } else { nil }
        }
    }

    private func observations(under term: IndexTerm) throws -> [FiledObservation] {
        try facts(under: term, below: .max).flatMap(\.observations)
    }

    private func facts(under term: IndexTerm, below size: Position) throws -> [EventFacts] {
        try events(under: term) { $0 < size }.compactMap { try $0.decoded() }
    }
}

extension StoredFacts {
    /// Nil when the event says nothing.
    func decoded() throws -> EventFacts? {
        guard !facts.isEmpty else { return nil }
        guard let decoded = EventFacts(bytes: facts, position: position, recordedAt: recordedAt) else {
            throw EventLogError.derivedDamaged("the facts of position \(position)")
        }
        return decoded
    }
}

extension EventLogError {
    static let remakingHint = "Remove derived/; it is made again from the log."

    static func derivedDamaged(_ what: String) -> EventLogError {
        EventLogError(.logCorrupt, "\(what) in derived/ cannot be read", hint: remakingHint)
    }
}
