package import Primitives

/// The events that decide who owns some keys, and which ids their owners have.
package struct CustomerHistory: Sendable {
    package struct Event: Sendable {
        package let fact: CustomerFact
        package let recordedAt: Instant

        package init(_ fact: CustomerFact, recordedAt: Instant) {
            self.fact = fact
            self.recordedAt = recordedAt
        }
    }

    /// Ordered by position.
    package let events: [Event]

    /// - Parameter events: the events in any order, each once.
    package init(_ events: some Sequence<Event>) {
        self.events = events.sorted { $0.fact.position < $1.fact.position }
    }

    private func facts(below size: Position) -> some Sequence<CustomerFact> {
        events.lazy.map(\.fact).prefix { $0.position < size }
    }

    /// Returns the evidence about the owner of a key among the first `size` events.
    /// - Parameter timeline: the timeline of the key as of that size.
    package func evidence(of key: SubscriptionKey, _ timeline: Timeline, below size: Position) -> OwnershipEvidence {
        var evidence = OwnershipEvidence(key: key, timeline: timeline)
        for fact in facts(below: size) where fact.key == key {
            switch fact {
            case .claim(let claim): evidence.claims.append(claim)
            case .refusedClaim(let claim): evidence.refusedClaims.append(claim)
            case .transfer(let transfer): evidence.transfers.append(transfer)
            case .directory, .token, .grant, .download, .consent: break
            }
        }
        return evidence
    }

    /// Returns the customers of handles and tokens among the first `size` events.
    package func directory(below size: Position) -> CustomerDirectory {
        var directory = CustomerDirectory()
        for fact in facts(below: size) {
            switch fact {
            case .directory(let change): directory.add(change)
            case .token(let mapping):
                // Only the first mapping of a token counts.
                if directory.customer(of: mapping.token) == nil { directory.set(mapping.customer, for: mapping.token) }
            case .claim, .refusedClaim, .transfer, .grant, .download, .consent: break
            }
        }
        return directory
    }
}

extension CustomerHistory {
    /// Returns every handle of the customers whose ids an event changes, as of just before the event.
    package func renamedHandles(by fact: CustomerFact) -> Set<CustomerHandle> {
        let changed: [CustomerHandle] =
            switch fact {
            case .directory(let change): [change.customer, change.into]
            case .token(let mapping): [mapping.customer]
            case .claim, .refusedClaim, .transfer, .grant, .download, .consent: []
            }
        guard !changed.isEmpty else { return [] }
        let directory = directory(below: fact.position)
        return changed.reduce(into: []) { handles, handle in
            let customer = directory.customer(of: handle)
            handles.formUnion([handle, customer] + directory.handles(mergedInto: customer))
        }
    }

    /// Returns the keys for which an event may change the owner or the ids of the owner.
    /// - Parameter timelines: the timelines of all keys in question; they may contain later facts.
    package func keys(
        decidedBy fact: CustomerFact, among timelines: [SubscriptionKey: Timeline]
    ) -> Set<SubscriptionKey> {
        switch fact {
        case .claim(let claim): return [claim.key]
        case .transfer(let transfer): return [transfer.key]
        case .refusedClaim, .grant, .download, .consent: return []
        case .token, .directory: break
        }
        let handles = renamedHandles(by: fact)
        var keys: Set<SubscriptionKey> = []
        var tokens: Set<AppAccountToken> = []
        if case .token(let mapping) = fact { tokens.insert(mapping.token) }
        for known in facts(below: fact.position) {
            switch known {
            case .claim(let claim), .refusedClaim(let claim):
                if handles.contains(claim.customer) { keys.insert(claim.key) }
            case .transfer(let transfer):
                if handles.contains(transfer.customer) { keys.insert(transfer.key) }
            case .token(let mapping):
                if handles.contains(mapping.customer) { tokens.insert(mapping.token) }
            case .directory, .grant, .download, .consent: break
            }
        }
        guard !tokens.isEmpty else { return keys }
        for (key, timeline) in timelines where timeline.states(any: tokens, below: fact.position) { keys.insert(key) }
        return keys
    }
}

extension CustomerFact {
    /// The key that a claim or a transfer names.
    fileprivate var key: SubscriptionKey? {
        switch self {
        case .claim(let claim), .refusedClaim(let claim): claim.key
        case .transfer(let transfer): transfer.key
        case .directory, .token, .grant, .download, .consent: nil
        }
    }
}

extension Timeline {
    /// Whether one of the first `size` events states one of these tokens.
    fileprivate func states(any tokens: Set<AppAccountToken>, below size: Position) -> Bool {
        transactions.contains { states($0.value.appAccountToken, $0.source, tokens, size) }
            || renewals.contains { states($0.value.appAccountToken, $0.source, tokens, size) }
    }

    private func states(
        _ token: AppAccountToken?, _ source: Source, _ tokens: Set<AppAccountToken>, _ size: Position
    ) -> Bool {
        guard let token, source.position < size else { return false }
        return tokens.contains(token)
    }
}
