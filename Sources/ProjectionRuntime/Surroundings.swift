import AppStoreTranslation
package import EventLog
package import LedgerModel

/// What is known of some keys and of every key that may be joined with them, as of a log size.
///
/// Follows shared terms until nothing new comes; which of the keys are one lineage the fold decides. Each event is
/// read and decoded once, under however many terms it is found.
package struct Surroundings {
    private let derived: Derived
    private let size: Position
    private var entries: [SubscriptionKey: Entry] = [:]
    /// Under which was looked; when events come under one of them, more may be known.
    package private(set) var askedTerms: Set<IndexTerm> = []
    private var seen: Set<Position> = []

    package init(in derived: Derived, knownAt size: Position) {
        self.derived = derived
        self.size = size
    }

    /// Adds keys and what may be joined with them.
    package mutating func add(_ keys: some Sequence<SubscriptionKey>) throws {
        try follow(keys.map(IndexTerm.subscription))
    }

    /// Adds the keys whose transactions or renewal infos carry a token, and what may be joined with them.
    package mutating func add(_ token: AppAccountToken) throws {
        try follow([.appAccountToken(token)])
    }

    /// Adds the keys that an Apple account bought, and what may be joined with them.
    package mutating func add(_ account: AppAccountKey) throws {
        guard case .appTransaction(let id) = account.account else { return }
        try follow([.appTransaction(id, environment: account.environment, bundleId: account.bundleId)])
    }

    private mutating func follow(_ terms: [IndexTerm]) throws {
        var open = terms
        while let term = open.popLast() {
            guard askedTerms.insert(term).inserted else { continue }
            for event in try derived.events(under: term, at: { $0 < size && !seen.contains($0) }) {
                seen.insert(event.position)
                guard let facts = try event.decoded() else { continue }
                for filed in facts.observations { add(filed, &open) }
                if let fact = facts.customerFact { add(fact) }
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

    private mutating func add(_ filed: FiledObservation, _ open: inout [IndexTerm]) {
        guard case .subscription(let key) = filed.key else { return }
        if entries[key] == nil { open.append(.subscription(key)) }
        let fact = filed.observation.fact
        if let joints = fact.joints, joints != entries[key]?.joints {
            open += joints.terms(of: key)
            entries[key, default: Entry()].joints = joints
        }
        if let token = fact.appAccountToken, token != entries[key]?.appAccountTokens.last {
            entries[key, default: Entry()].appAccountTokens.append(token)
        }
        entries[key, default: Entry()].observations.append(filed.observation)
    }

    package var keys: some Collection<SubscriptionKey> { entries.keys }

    /// Of the keys of which something was observed.
    package var timelines: [SubscriptionKey: Timeline] {
        entries.compactMapValues { $0.observations.isEmpty ? nil : Timeline($0.observations) }
    }

    /// Returns what decides who owns a key.
    /// - Parameter timeline: of the key, possibly with more than is stored.
    package func ownershipEvidence(of key: SubscriptionKey, _ timeline: Timeline) -> OwnershipEvidence {
        OwnershipEvidence(
            key: key, timeline: timeline, claims: entries[key]?.claims ?? [],
            refusedClaims: entries[key]?.refusedClaims ?? [], transfers: entries[key]?.transfers ?? [])
    }

    /// The tokens that the observations of a key state.
    package func appAccountTokens(of key: SubscriptionKey) -> Set<AppAccountToken> {
        Set((entries[key]?.appAccountTokens ?? []).compactMap(AppAccountToken.init))
    }
}

/// What is known of one key.
private struct Entry {
    var observations: [Observation] = []
    var claims: [Claim] = []
    var refusedClaims: [Claim] = []
    var transfers: [Transfer] = []
    /// As written, without repetitions in a row.
    var appAccountTokens: [String] = []
    /// The last ones stated. Neighbours mostly state the same, which then need not be looked up again.
    var joints: Joints?
}
