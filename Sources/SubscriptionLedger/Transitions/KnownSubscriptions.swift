import EventLog
import LedgerModel
import Primitives
import SubscriptionStatus

/// The subscriptions of a unit as known at one log size.
struct KnownSubscriptions {
    let unit: UnitFacts
    private let size: Position
    private let rules: Rules
    private let timelines: [SubscriptionKey: Timeline]
    private let lineages: [Lineage]
    private let directory: CustomerDirectory
    private let histories: [SubscriptionKey: SubscriptionHistory]
    /// The keys of every lineage that contains a requested key, sorted. An event of one key may change the history of
    /// all.
    let affectedKeys: [SubscriptionKey]

    init(_ unit: UnitFacts, around keys: Set<SubscriptionKey>, knownAt size: Position, _ rules: Rules) {
        (self.unit, self.size, self.rules) = (unit, size, rules)
        timelines = unit.timelines.mapValues { $0.known(at: size) }.filter { !$0.value.isEmpty }
        lineages = Lineage.components(of: timelines)
        directory = unit.customers.directory(below: size)
        let affected = lineages.filter { lineage in lineage.subscriptions.contains { keys.contains($0.key) } }
        affectedKeys = affected.flatMap(\.subscriptions).map(\.key).sorted()
        histories = Dictionary(
            affected.histories(until: .latest, rules: rules).map { ($0.key, $0) }
        ) { first, _ in first }
    }

    /// Returns the same subscriptions as known at a smaller log size, under the rules of that size.
    func earlier(knownAt size: Position, _ rules: Rules) -> KnownSubscriptions {
        KnownSubscriptions(unit, around: Set(affectedKeys), knownAt: size, rules)
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
    func owners(of key: SubscriptionKey, at instant: Instant) -> Set<Ownership.Owner> {
        guard let evidence = ownershipEvidence(of: key) else { return [] }
        return Ownership(evidence, at: instant, directory: directory, rule: rules.customers.claimConflict).owners
    }

    /// Returns the instants at which appAccountTokens of a subscription take effect, ascending.
    func tokenInstants(of key: SubscriptionKey) -> [Instant] {
        ownershipEvidence(of: key)?.tokens.steps.map(\.from) ?? []
    }

    private func ownershipEvidence(of key: SubscriptionKey) -> OwnershipEvidence? {
        timelines[key].map { unit.customers.evidence(of: key, $0, below: size) }
    }

    /// Returns the instant of the next row that needs no event; nil when none is due.
    func nextRow(of key: SubscriptionKey, after instant: Instant) -> Instant? {
        let transition = history(of: key).first { $0.at > instant }?.at
        let token = tokenInstants(of: key).first { $0 > instant }
        return [transition, token].compactMap(\.self).min()
    }

    /// Returns the type of the notification at a position, or the kind of the artifact, among the new facts of a key's
    /// lineage.
    func cause(of key: SubscriptionKey, at position: Position) -> Cause {
        let lineage = lineages.first { $0.subscriptions.contains { $0.key == key } }
        let timelines = lineage?.subscriptions.compactMap { self.timelines[$0.key] } ?? []
        for notification in timelines.flatMap(\.notifications) where notification.source.position == position {
            if let type = notification.value.notificationType {
                return .notification(type, notification.value.subtype)
            }
        }
        let hasTransaction = timelines.contains { $0.transactions.contains { $0.source.position == position } }
        return hasTransaction ? .transaction : .renewalInfo
    }
}
