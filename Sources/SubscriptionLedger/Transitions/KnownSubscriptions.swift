import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime
import SubscriptionStatus

/// Everything known of some subscriptions, and of those that may be joined with them, at one log size.
struct KnownSubscriptions {
    private let surroundings: Surroundings
    private let derived: Derived
    private let size: Position
    private let rules: Rules
    private let timelines: [SubscriptionKey: Timeline]
    private let lineages: [Lineage]
    private let histories: [SubscriptionKey: SubscriptionHistory]
    /// The subscriptions whose history those asked for may change: all of their lineages, in order.
    let affectedKeys: [SubscriptionKey]

    init(
        around keys: Set<SubscriptionKey>, in derived: Derived, knownAt size: Position, _ rules: Rules
    ) throws {
        var surroundings = Surroundings(in: derived, knownAt: size)
        try surroundings.add(keys)
        self.init(surroundings, derived, size, rules, surroundings.timelines) { lineage in
            lineage.subscriptions.contains { keys.contains($0.key) }
        }
    }

    private init(
        _ surroundings: Surroundings, _ derived: Derived, _ size: Position, _ rules: Rules,
        _ timelines: [SubscriptionKey: Timeline], isAffected: (Lineage) -> Bool
    ) {
        (self.surroundings, self.derived, self.size, self.rules) = (surroundings, derived, size, rules)
        self.timelines = timelines
        lineages = Lineage.components(of: timelines)
        let affected = lineages.filter(isAffected)
        affectedKeys = affected.flatMap(\.subscriptions).map(\.key).sorted()
        histories = Dictionary(
            affected.histories(until: .latest, rules: rules).map { ($0.key, $0) }
        ) { first, _ in first }
    }

    /// The same subscriptions as they were known before.
    func earlier(knownAt size: Position) -> KnownSubscriptions {
        let affectedKeys = Set(affectedKeys)
        let timelines = timelines.mapValues { $0.known(at: size) }.filter { !$0.value.observations.isEmpty }
        return KnownSubscriptions(surroundings, derived, size, rules, timelines) { lineage in
            lineage.subscriptions.contains { affectedKeys.contains($0.key) }
        }
    }

    /// Every transition, those to come too.
    func history(of key: SubscriptionKey) -> [Transition] { histories[key]?.transitions ?? [] }

    /// The number of statuses that Apple signed of a subscription and that the fold at their signedDate differs from.
    func disagreementCount(of key: SubscriptionKey) -> Int { histories[key]?.disagreementCount ?? 0 }

    func state(of key: SubscriptionKey, at instant: Instant) -> SubscriptionState? {
        lineages.states(at: instant, rules: rules).first { $0.key == key }
    }

    /// The owners of a subscription at an instant, from the log alone: a name in the vault is no part of a row.
    func owners(of key: SubscriptionKey, at instant: Instant) throws -> Set<Ownership.Owner> {
        guard let evidence = ownershipEvidence(of: key) else { return [] }
        var lookup = CustomerLookup(in: derived, size: size)
        try lookup.load(evidence)
        return Ownership(evidence, at: instant, roster: lookup.roster, rule: rules.customers.claimConflict).owners
    }

    /// The instants at which Apple's tokens change who owns a subscription, ascending.
    func tokenInstants(of key: SubscriptionKey) -> [Instant] {
        ownershipEvidence(of: key)?.tokens.steps.map(\.from) ?? []
    }

    private func ownershipEvidence(of key: SubscriptionKey) -> OwnershipEvidence? {
        timelines[key].map { surroundings.ownershipEvidence(of: key, $0) }
    }
}
