import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime
import SubscriptionStatus

/// The subscriptions known at one log size, with those that may belong to the same lineages.
struct KnownSubscriptions {
    private let surroundings: Surroundings
    private let derived: Derived
    private let size: Position
    private let rules: Rules
    private let timelines: [SubscriptionKey: Timeline]
    private let lineages: [Lineage]
    private let histories: [SubscriptionKey: SubscriptionHistory]
    /// The keys of every lineage that contains a requested key, sorted: an event of one may change the history of all.
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

    /// Returns the same subscriptions as known at a smaller log size.
    func earlier(knownAt size: Position) -> KnownSubscriptions {
        let affectedKeys = Set(affectedKeys)
        let timelines = timelines.mapValues { $0.known(at: size) }.filter { !$0.value.observations.isEmpty }
        return KnownSubscriptions(surroundings, derived, size, rules, timelines) { lineage in
            lineage.subscriptions.contains { affectedKeys.contains($0.key) }
        }
    }

    /// Returns every transition of a subscription, future ones included.
    func history(of key: SubscriptionKey) -> [Transition] { histories[key]?.transitions ?? [] }

    /// Returns the number of statuses that Apple signed and that differ from the fold at their signedDate.
    func disagreementCount(of key: SubscriptionKey) -> Int { histories[key]?.disagreementCount ?? 0 }

    func state(of key: SubscriptionKey, at instant: Instant) -> SubscriptionState? {
        lineages.states(at: instant, rules: rules).first { $0.key == key }
    }

    /// Returns the owners of a subscription at an instant, from the log alone: stored rows do not depend on the vault.
    func owners(of key: SubscriptionKey, at instant: Instant) throws -> Set<Ownership.Owner> {
        guard let evidence = ownershipEvidence(of: key) else { return [] }
        var lookup = CustomerLookup(in: derived, size: size)
        try lookup.load(evidence)
        return Ownership(evidence, at: instant, roster: lookup.roster, rule: rules.customers.claimConflict).owners
    }

    /// Returns the instants from which appAccountTokens of a subscription count, ascending.
    func tokenInstants(of key: SubscriptionKey) -> [Instant] {
        ownershipEvidence(of: key)?.tokens.steps.map(\.from) ?? []
    }

    private func ownershipEvidence(of key: SubscriptionKey) -> OwnershipEvidence? {
        timelines[key].map { surroundings.ownershipEvidence(of: key, $0) }
    }
}
