package import LedgerModel
import Primitives

/// The facts about some keys and about every key that may be joined with them, as of a log size.
///
/// Follows shared terms until no new ones appear. The fold decides which keys form one lineage. Each event is read and
/// decoded once, even if several terms find it.
package struct RelatedTimelines {
    private let facts: FactIndex
    private let size: Position
    private var entries: [Entry] = []
    /// The index of each key's entry.
    private var indices: [SubscriptionKey: Int] = [:]
    /// The key of the newest observation. Consecutive observations mostly have the same key.
    private var newest: (key: TimelineKey, index: Int)?
    /// The terms that were looked up. A new event with one of them may add facts.
    package private(set) var askedTerms: Set<IndexTerm> = []
    private var appFacts: [AppAccountKey: [Observed<AppFact>]] = [:]
    private var downloadClaims: [AppAccountKey: [DownloadClaim]] = [:]
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
        try follow([IndexTerm(account)])
    }

    private mutating func follow(_ terms: [IndexTerm]) throws {
        var open = terms
        while let term = open.popLast() {
            guard askedTerms.insert(term).inserted else { continue }
            for event in try facts.events(under: term, at: { $0 < size && !seen.contains($0) }) {
                seen.insert(event.position)
                guard let facts = event.facts else { continue }
                add(facts.observations, &open)
                if let fact = facts.customerFact { add(fact) }
            }
        }
    }

    private mutating func add(_ fact: CustomerFact) {
        switch fact {
        case .claim(let claim): entries[index(of: claim.key)].claims.append(claim)
        case .refusedClaim(let claim): entries[index(of: claim.key)].refusedClaims.append(claim)
        case .transfer(let transfer): entries[index(of: transfer.key)].transfers.append(transfer)
        case .download(let claim): downloadClaims[claim.account, default: []].append(claim)
        case .directory, .token, .grant, .consent: break
        }
    }

    private mutating func add(_ observations: [KeyedObservation], _ open: inout [IndexTerm]) {
        for place in observations.indices {
            guard let index = index(of: observations[place].key, &open) else {
                add(observations[place])
                continue
            }
            if let found = entries[index].add(observations[place].observation) {
                open += found.terms(of: entries[index].key)
            }
        }
    }

    private mutating func add(_ keyed: KeyedObservation) {
        guard case .appAccount(let account) = keyed.key, case .app(let fact) = keyed.observation.fact else { return }
        appFacts[account, default: []].append(Observed(source: keyed.observation.source, value: fact))
    }

    /// Returns the index of the entry of a subscription, a new one if it has none; nil for another timeline.
    private mutating func index(of key: TimelineKey, _ open: inout [IndexTerm]) -> Int? {
        if let newest, newest.key == key { return newest.index }
        guard case .subscription(let subscription) = key else { return nil }
        let known = entries.count
        let index = index(of: subscription)
        if index == known { open.append(.subscription(subscription)) }
        newest = (key, index)
        return index
    }

    private mutating func index(of key: SubscriptionKey) -> Int {
        if let index = indices[key] { return index }
        indices[key] = entries.count
        entries.append(Entry(key))
        return entries.count - 1
    }

    private func entry(of key: SubscriptionKey) -> Entry? { indices[key].map { entries[$0] } }

    /// The timelines of the keys that have observations.
    package var timelines: [SubscriptionKey: Timeline] {
        entries.reduce(into: [:]) { $0[$1.key] = $1.observations.timeline }
    }

    /// The downloads of the app by the Apple accounts of the keys, and those that were added, ordered by account.
    package var downloads: [AppDownload] {
        Set(appFacts.keys).union(downloadClaims.keys).sorted().map { account in
            AppDownload(
                account: account,
                facts: (appFacts[account] ?? []).sorted { $0.source.precedes($1.source) },
                claims: (downloadClaims[account] ?? []).sorted { $0.position < $1.position })
        }
    }

    /// Returns the evidence that decides the owner of a key.
    /// - Parameter timeline: the timeline of the key; may contain more than is stored.
    package func ownershipEvidence(of key: SubscriptionKey, _ timeline: Timeline) -> OwnershipEvidence {
        let entry = entry(of: key)
        return OwnershipEvidence(
            key: key, timeline: timeline, claims: entry?.claims ?? [], refusedClaims: entry?.refusedClaims ?? [],
            transfers: entry?.transfers ?? [])
    }

    /// The tokens stated by the observations.
    package var appAccountTokens: Set<AppAccountToken> {
        entries.reduce(into: []) { $0.formUnion($1.appAccountTokens) }
    }
}

/// The facts about one key.
private struct Entry {
    let key: SubscriptionKey
    private(set) var observations = ObservationLists()
    var claims: [Claim] = []
    var refusedClaims: [Claim] = []
    var transfers: [Transfer] = []
    private(set) var appAccountTokens: Set<AppAccountToken> = []
    /// The identifiers and the token stated last. Consecutive observations mostly state the same ones.
    private var linkingIdentifiers: LinkingIdentifiers?
    private var appAccountToken: AppAccountToken?

    init(_ key: SubscriptionKey) {
        self.key = key
    }

    /// Returns the identifiers that the observation states, unless they are those stated last.
    mutating func add(_ observation: Observation) -> LinkingIdentifiers? {
        observations.append(observation)
        let fact = observation.fact
        if let token = fact.appAccountToken, token != appAccountToken {
            appAccountTokens.insert(token)
            appAccountToken = token
        }
        guard let found = fact.linkingIdentifiers, found != linkingIdentifiers else { return nil }
        linkingIdentifiers = found
        return found
    }
}
