import EventLog
import FactStore
import LedgerModel
import Primitives
import SubscriptionStatus

/// The subscriptions known at one log size, and those that may belong to the same lineages.
struct KnownSubscriptions {
    private let related: RelatedTimelines
    private let facts: FactIndex
    private let size: Position
    private let rules: Rules
    private let timelines: [SubscriptionKey: Timeline]
    private let lineages: [Lineage]
    private let histories: [SubscriptionKey: SubscriptionHistory]
    /// The keys of every lineage that contains a requested key, sorted. An event of one key may change the history of
    /// all.
    let affectedKeys: [SubscriptionKey]

    init(
        around keys: Set<SubscriptionKey>, in facts: FactIndex, knownAt size: Position, _ rules: Rules
    ) throws {
        var related = RelatedTimelines(in: facts, knownAt: size)
        try related.add(keys)
        self.init(related, facts, size, rules, related.timelines) { lineage in
            lineage.subscriptions.contains { keys.contains($0.key) }
        }
    }

    private init(
        _ related: RelatedTimelines, _ facts: FactIndex, _ size: Position, _ rules: Rules,
        _ timelines: [SubscriptionKey: Timeline], isAffected: (Lineage) -> Bool
    ) {
        (self.related, self.facts, self.size, self.rules) = (related, facts, size, rules)
        self.timelines = timelines
        lineages = Lineage.components(of: timelines)
        let affected = lineages.filter(isAffected)
        affectedKeys = affected.flatMap(\.subscriptions).map(\.key).sorted()
        histories = Dictionary(
            affected.histories(until: .latest, rules: rules).map { ($0.key, $0) }
        ) { first, _ in first }
    }

    /// Returns the same subscriptions as known at a smaller log size, under the rules of that size.
    func earlier(knownAt size: Position, _ rules: Rules) -> KnownSubscriptions {
        let affectedKeys = Set(affectedKeys)
        let timelines = timelines.mapValues { $0.known(at: size) }.filter { !$0.value.isEmpty }
        return KnownSubscriptions(related, facts, size, rules, timelines) { lineage in
            lineage.subscriptions.contains { affectedKeys.contains($0.key) }
        }
    }

    /// Returns every transition of a subscription, including future ones.
    func history(of key: SubscriptionKey) -> [Transition] { histories[key]?.transitions ?? [] }

    /// Returns the number of statuses that Apple signed and that differ from the fold at their signedDate.
    func disagreementCount(of key: SubscriptionKey) -> Int { histories[key]?.disagreementCount ?? 0 }

    func state(of key: SubscriptionKey, at instant: Instant) -> SubscriptionState? {
        lineages.states(at: instant, rules: rules).first { $0.key == key }
    }

    /// Returns the owners of a subscription at an instant, based on the log alone. Stored rows do not depend on the
    /// vault.
    func owners(of key: SubscriptionKey, at instant: Instant) throws -> Set<Ownership.Owner> {
        guard let evidence = ownershipEvidence(of: key) else { return [] }
        var lookup = CustomerLookup(in: facts, size: size)
        try lookup.load(evidence)
        return Ownership(evidence, at: instant, directory: lookup.directory, rule: rules.customers.claimConflict).owners
    }

    /// Returns the instants at which appAccountTokens of a subscription take effect, ascending.
    func tokenInstants(of key: SubscriptionKey) -> [Instant] {
        ownershipEvidence(of: key)?.tokens.steps.map(\.from) ?? []
    }

    private func ownershipEvidence(of key: SubscriptionKey) -> OwnershipEvidence? {
        timelines[key].map { related.ownershipEvidence(of: key, $0) }
    }
}
