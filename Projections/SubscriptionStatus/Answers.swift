package import LedgerModel
package import Primitives

extension Sequence<Lineage> {
    /// The rows of `state` at `t`, ordered by key. Only keys are listed of which something had begun.
    package func states(at t: Instant, rules: Rules) -> [SubscriptionState] {
        flatMap(\.subscriptions)
            .compactMap { Moment($0, periods: $0.listedPeriods, at: t, rules: rules.access) }
            .map(SubscriptionState.init)
            .sorted { $0.key < $1.key }
    }

    /// The rows of `history` up to `t`, ordered by key. Only keys are listed of which something had begun.
    package func histories(until t: Instant, rules: Rules) -> [SubscriptionHistory] {
        flatMap { lineage in
            let causes = Causes(lineage)
            return lineage.subscriptions.map { $0.history(until: t, rules: rules, causes: causes) }
        }
        .filter { !$0.transitions.isEmpty }
        .sorted { $0.key < $1.key }
    }
}
