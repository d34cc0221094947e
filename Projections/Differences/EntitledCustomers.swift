package import LedgerModel
package import Primitives
import SubscriptionStatus

extension UnitFacts {
    /// Returns the customers to whom a subscription gives access at an instant, as known at a log size.
    package func entitledOwners(at t: Instant, knownAt size: Position, rules: Rules) -> Set<Ownership.Owner> {
        let known = timelines.mapValues { $0.known(at: size) }.filter { !$0.value.isEmpty }
        let directory = customers.directory(below: size)
        // With fewer events, an account may join fewer keys.
        let states = Lineage.components(of: known).groupedByAccounts().flatMap { $0.states(at: t, rules: rules) }
        return states.reduce(into: []) { owners, state in
            guard state.entitled, let timeline = known[state.key] else { return }
            let evidence = customers.evidence(of: state.key, timeline, below: size)
            owners.formUnion(
                Ownership(evidence, at: t, directory: directory, rule: rules.customers.claimConflict).owners)
        }
    }
}

extension NumberCell {
    /// The number of customers to whom a subscription gives access.
    package static let entitledCustomers = NumberCell(.customers, [], field: "entitled")
}

/// The number of entitled customers, and what moves it. A customer may have subscriptions in several units, so it is no
/// sum over units.
struct EntitledCustomers: Sendable {
    /// The number of units in which each customer is entitled before.
    private var before: [Ownership.Owner: Int] = [:]
    private var steps: [Position: Step] = [:]

    private struct Step: Sendable {
        var cause: RestatementCause
        var changes: [Ownership.Owner: Int] = [:]
    }

    mutating func add(_ owners: Set<Ownership.Owner>) {
        for owner in owners { before[owner, default: 0] += 1 }
    }

    /// - Parameter position: the event; the greatest number for rules given by hand.
    mutating func move(
        from old: Set<Ownership.Owner>, to new: Set<Ownership.Owner>, _ cause: RestatementCause, at position: Position
    ) {
        guard old != new else { return }
        if let known = steps[position]?.cause { steps[position]?.cause = known.combined(with: cause) }
        for owner in old.subtracting(new) {
            steps[position, default: Step(cause: cause)].changes[owner, default: 0] -= 1
        }
        for owner in new.subtracting(old) {
            steps[position, default: Step(cause: cause)].changes[owner, default: 0] += 1
        }
    }

    mutating func merge(_ other: EntitledCustomers) {
        before.merge(other.before, uniquingKeysWith: &+)
        steps.merge(other.steps) { step, other in
            var step = step
            step.cause = step.cause.combined(with: other.cause)
            step.changes.merge(other.changes, uniquingKeysWith: &+)
            return step
        }
    }

    var countBefore: Int64 { Int64(before.count) }

    /// The moves of the number, ordered by position.
    var moves: [(position: Position, cause: RestatementCause, change: Int64)] {
        var units = before
        return steps.sorted { $0.key < $1.key }.compactMap { position, step in
            var change: Int64 = 0
            for (owner, difference) in step.changes where difference != 0 {
                let old = units[owner] ?? 0
                units[owner] = old + difference
                if old == 0 { change += 1 }
                if old + difference == 0 { change -= 1 }
            }
            return change == 0 ? nil : (position, step.cause, change)
        }
    }
}
