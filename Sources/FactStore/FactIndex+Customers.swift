package import LedgerModel
import Primitives
import Synchronization

extension FactIndex {
    /// Returns the facts of some keys and of every key that may be joined with them, with the events about their
    /// customers, as known when the log contained `size` events.
    /// - Parameter mappings: as in `customerHistory`.
    package func unitFacts(
        around keys: some Sequence<SubscriptionKey>, knownAt size: Position, with mappings: CustomerMappings? = nil
    ) throws -> UnitFacts {
        var related = RelatedTimelines(in: self, knownAt: size)
        try related.add(keys)
        let timelines = related.timelines
        return UnitFacts(
            timelines: timelines, customers: try customerHistory(of: timelines, knownAt: size, with: mappings))
    }

    /// Returns the events that decide who owns some keys.
    /// - Parameters:
    ///   - size: the number of known events.
    ///   - mappings: finds the events that give the owners further ids, which are added; nil leaves them out.
    package func customerHistory(
        of timelines: [SubscriptionKey: Timeline], knownAt size: Position, with mappings: CustomerMappings? = nil
    ) throws -> CustomerHistory {
        var search = CustomerSearch(in: self, knownAt: size)
        for (key, timeline) in timelines {
            try search.addDecisions(about: key, besides: timeline)
            for token in timeline.appAccountTokens { try search.addMappings(of: token) }
        }
        try search.followMerges()
        for handle in mappings == nil ? [] : search.handles {
            for event in try mappings?.events(of: handle) ?? [] { search.add(event) }
        }
        return CustomerHistory(search.events.values)
    }

    /// Returns the keys for which an event may change the owner or the ids of the owner, and possibly other keys.
    package func keys(concernedBy fact: CustomerFact) throws -> Set<SubscriptionKey> {
        switch fact {
        case .claim(let claim): return [claim.key]
        case .transfer(let transfer): return [transfer.key]
        case .refusedClaim, .grant, .download, .consent: return []
        case .token, .directory: break
        }
        var search = CustomerSearch(in: self, knownAt: fact.position + 1)
        search.add(fact)
        try search.followMerges()
        var keys: Set<SubscriptionKey> = []
        var tokens = search.tokens
        for handle in search.handles {
            keys.formUnion(try self.keys(claimedBy: handle, knownAt: fact.position))
            tokens.formUnion(try self.tokens(mappedTo: handle, knownAt: fact.position))
        }
        for token in tokens { keys.formUnion(try self.keys(carrying: token, knownAt: fact.position)) }
        return keys
    }

    private func keys(carrying token: AppAccountToken, knownAt size: Position) throws -> Set<SubscriptionKey> {
        try events(under: .appAccountToken(token)) { $0 < size }.reduce(into: []) { keys, event in
            for keyed in event.facts?.observations ?? [] where keyed.observation.fact.appAccountToken == token {
                if case .subscription(let key) = keyed.key { keys.insert(key) }
            }
        }
    }
}

/// The mappings of tokens to customers, as known when the log contained some number of events.
package final class CustomerMappings: Sendable {
    /// The number of claims of a customer from which its mappings are kept: they are searched among its claims.
    private static let keptCount = 64

    private let facts: FactIndex
    private let size: Position
    private let kept = Mutex<[CustomerHandle: [CustomerHistory.Event]]>([:])

    package init(in facts: FactIndex, knownAt size: Position) {
        self.facts = facts
        self.size = size
    }

    fileprivate func events(of handle: CustomerHandle) throws -> [CustomerHistory.Event] {
        if let known = kept.withLock({ $0[handle] }) { return known }
        let decisions = try facts.events(under: .claims(of: handle)) { [size] in $0 < size }
        let mappings = decisions.compactMap { event -> CustomerHistory.Event? in
            guard let fact = event.facts?.customerFact, case .token = fact else { return nil }
            return CustomerHistory.Event(fact, recordedAt: event.recordedAt)
        }
        if decisions.count > Self.keptCount { kept.withLock { $0[handle] = mappings } }
        return mappings
    }
}

/// A search for the events about customers. Follows merges until no new handle appears.
private struct CustomerSearch {
    private let facts: FactIndex
    private let size: Position
    private(set) var events: [Position: CustomerHistory.Event] = [:]
    /// The handles found, of which `open` were not followed yet.
    private(set) var handles: Set<CustomerHandle> = []
    private var open: [CustomerHandle] = []
    /// The tokens of the mappings found.
    private(set) var tokens: Set<AppAccountToken> = []

    init(in facts: FactIndex, knownAt size: Position) {
        self.facts = facts
        self.size = size
    }

    /// Adds the claims to a key and its transfers. The events of the timeline are not read again.
    mutating func addDecisions(about key: SubscriptionKey, besides timeline: Timeline) throws {
        let known = timeline.positions
        try add(facts.events(under: .subscription(key)) { [size] in $0 < size && !known.contains($0) })
    }

    mutating func addMappings(of token: AppAccountToken) throws {
        try add(facts.events(under: .mapping(of: token)) { [size] in $0 < size })
    }

    /// Adds the merges of all handles found, and of those that they lead to.
    mutating func followMerges() throws {
        while let handle = open.popLast() {
            try add(facts.events(under: .merges(of: handle)) { [size] in $0 < size })
        }
    }

    private mutating func add(_ found: [DecodedEvent]) throws {
        for event in found {
            if let fact = event.facts?.customerFact { add(CustomerHistory.Event(fact, recordedAt: event.recordedAt)) }
        }
    }

    mutating func add(_ event: CustomerHistory.Event) {
        if events.updateValue(event, forKey: event.fact.position) == nil { add(event.fact) }
    }

    /// Adds the handles and the token of an event.
    mutating func add(_ fact: CustomerFact) {
        switch fact {
        case .claim(let claim), .refusedClaim(let claim): add(claim.customer)
        case .transfer(let transfer): add(transfer.customer)
        case .directory(let change):
            add(change.customer)
            add(change.into)
        case .token(let mapping):
            tokens.insert(mapping.token)
            add(mapping.customer)
        case .grant, .download, .consent: break
        }
    }

    private mutating func add(_ handle: CustomerHandle) {
        if handles.insert(handle).inserted { open.append(handle) }
    }
}

extension Timeline {
    /// The tokens that the facts state, also those that decide nothing.
    fileprivate var appAccountTokens: Set<AppAccountToken> {
        Set(transactions.compactMap(\.value.appAccountToken) + renewals.compactMap(\.value.appAccountToken))
    }

    fileprivate var positions: Set<Position> {
        Set(
            transactions.map(\.source.position) + renewals.map(\.source.position) + notifications.map(\.source.position)
        )
    }
}
