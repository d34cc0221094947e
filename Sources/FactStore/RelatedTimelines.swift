package import LedgerModel
import Primitives

/// The facts about some keys and about every key that may be joined with them, as of a log size.
///
/// Follows shared terms until no new ones appear. The fold decides which keys form one lineage. Each event is read and
/// decoded once, even if several terms find it.
package struct RelatedTimelines {
    private let facts: FactIndex
    private let size: Position
    private var entries: [SubscriptionKey: Entry] = [:]
    /// The terms that were looked up. A new event with one of them may add facts.
    package private(set) var askedTerms: Set<IndexTerm> = []
    private var seen: Set<Position> = []

    package init(in facts: FactIndex, knownAt size: Position) {
        self.facts = facts
        self.size = size
    }

    /// Adds keys and the keys that may be joined with them.
    package mutating func add(_ keys: some Sequence<SubscriptionKey>) throws {
        try follow(keys.map(IndexTerm.subscription))
    }

    /// Adds the keys whose transactions or renewal infos carry a token, and the keys that may be joined with them.
    package mutating func add(_ token: AppAccountToken) throws {
        try follow([.appAccountToken(token)])
    }

    /// Adds the keys that an Apple account bought, and the keys that may be joined with them.
    package mutating func add(_ account: AppAccountKey) throws {
        guard case .appTransaction(let id) = account.account else { return }
        try follow([.appTransaction(id, environment: account.environment, bundleId: account.bundleId)])
    }

    private mutating func follow(_ terms: [IndexTerm]) throws {
        var open = terms
        while let term = open.popLast() {
            guard askedTerms.insert(term).inserted else { continue }
            for event in try facts.events(under: term, at: { $0 < size && !seen.contains($0) }) {
                try WorkLimit.check()
                seen.insert(event.position)
                guard let decoded = try event.decoded() else { continue }
                for observation in decoded.observations { add(observation, &open) }
                if let fact = decoded.customerFact { add(fact) }
            }
        }
    }

    private mutating func add(_ fact: CustomerFact) {
        switch fact {
        case .claim(let claim): entries[claim.key, default: Entry()].claims.append(claim)
        case .refusedClaim(let claim): entries[claim.key, default: Entry()].refusedClaims.append(claim)
        case .transfer(let transfer): entries[transfer.key, default: Entry()].transfers.append(transfer)
        case .directory, .token: break
        }
    }

    private mutating func add(_ keyed: KeyedObservation, _ open: inout [IndexTerm]) {
        guard case .subscription(let key) = keyed.key else { return }
        if entries[key] == nil { open.append(.subscription(key)) }
        let fact = keyed.observation.fact
        if let linkingIdentifiers = fact.linkingIdentifiers, linkingIdentifiers != entries[key]?.linkingIdentifiers {
            open += linkingIdentifiers.terms(of: key)
            entries[key, default: Entry()].linkingIdentifiers = linkingIdentifiers
        }
        if let token = fact.appAccountToken, entries[key]?.appAccountTokens.contains(token) != true {
            entries[key, default: Entry()].appAccountTokens.insert(token)
        }
        entries[key, default: Entry()].observations.append(keyed.observation)
    }

    package var keys: some Collection<SubscriptionKey> { entries.keys }

    /// The timelines of the keys that have observations.
    package var timelines: [SubscriptionKey: Timeline] {
        entries.compactMapValues { $0.observations.isEmpty ? nil : Timeline($0.observations) }
    }

    /// Returns the evidence that decides the owner of a key.
    /// - Parameter timeline: the timeline of the key; may contain more than is stored.
    package func ownershipEvidence(of key: SubscriptionKey, _ timeline: Timeline) -> OwnershipEvidence {
        OwnershipEvidence(
            key: key, timeline: timeline, claims: entries[key]?.claims ?? [],
            refusedClaims: entries[key]?.refusedClaims ?? [], transfers: entries[key]?.transfers ?? [])
    }

    /// Returns the tokens stated by the observations of a key.
    package func appAccountTokens(of key: SubscriptionKey) -> Set<AppAccountToken> {
        entries[key]?.appAccountTokens ?? []
    }
}

/// The facts about one key.
private struct Entry {
    var observations: [Observation] = []
    var claims: [Claim] = []
    var refusedClaims: [Claim] = []
    var transfers: [Transfer] = []
    var appAccountTokens: Set<AppAccountToken> = []
    /// The identifiers stated last. Consecutive observations mostly state the same ones, which need no further look-up.
    var linkingIdentifiers: LinkingIdentifiers?
}
