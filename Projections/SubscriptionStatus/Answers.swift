import AppStoreModel
package import LedgerModel
package import Primitives

extension [Lineage] {
    /// Returns the rows of `state` at `t`, ordered by key. Keys for which nothing had begun are omitted.
    package func states(at t: Instant, rules: Rules) -> [SubscriptionState] {
        // A subscription alone is the usual case, and is active nowhere else.
        if count == 1, self[0].subscriptions.count == 1 {
            let subscription = self[0].subscriptions[0]
            guard let row = subscription.row(at: t, in: self[0], rules) else { return [] }
            return [SubscriptionState(row.context, row.rowContext)]
        }
        var rows: [(context: StatusContext, rowContext: RowContext, accounts: [AppleAccount])] = []
        for lineage in self {
            for subscription in lineage.subscriptions {
                guard let row = subscription.row(at: t, in: lineage, rules) else { continue }
                rows.append((row.context, row.rowContext, subscription.accounts))
            }
        }
        var active: [AppleAccount: Int] = [:]
        for row in rows where row.context.isSubscribed {
            for account in row.accounts { active[account, default: 0] += 1 }
        }
        for index in rows.indices {
            let ownShare = rows[index].context.isSubscribed ? 1 : 0
            rows[index].rowContext.isActiveElsewhere =
                rows[index].accounts.contains { active[$0, default: 0] > ownShare }
        }
        return rows.map { SubscriptionState($0.context, $0.rowContext) }.sorted { $0.key < $1.key }
    }

    /// Returns the rows of `history` up to `t`, ordered by key. Keys for which nothing had begun are omitted.
    package func histories(until t: Instant, rules: Rules) -> [SubscriptionHistory] {
        histories(until: t, rules: rules) {}
    }

    /// Returns the same histories.
    /// - Parameter check: called at each step; ends the work by throwing.
    package func histories(
        until t: Instant, rules: Rules, check: () throws -> Void
    ) rethrows -> [SubscriptionHistory] {
        try flatMap { lineage in
            let causes = Causes(lineage)
            return try lineage.subscriptions.map {
                try $0.history(until: t, in: lineage, rules: rules, causes: causes, check: check)
            }
        }
        .filter { !$0.transitions.isEmpty }
        .sorted { $0.key < $1.key }
    }

    /// Returns every disagreement between the fold and a status that Apple signed, ordered by key and signing time.
    package func disagreements(rules: Rules) -> [Disagreement] {
        flatMap(\.subscriptions).sorted { $0.key < $1.key }
            .flatMap { $0.disagreements($0.listedPeriods, rules: rules.access) }
    }
}

/// One download of the app by one Apple account.
private struct AppleAccount: Hashable {
    let environment: Environment
    let bundle: Symbol
    let appTransactionId: AppleID
}

extension Subscription {
    /// Returns the parts of the subscription's row at `t`; nil when nothing had begun.
    fileprivate func row(
        at t: Instant, in lineage: Lineage, _ rules: Rules
    ) -> (context: StatusContext, rowContext: RowContext)? {
        let periods = listedPeriods
        guard let context = StatusContext(key, periods: periods, at: t, rules: rules.access) else { return nil }
        return (context, RowContext(self, in: lineage, periods: periods, rules: rules.access))
    }

    fileprivate var accounts: [AppleAccount] {
        appTransactionIds.map {
            AppleAccount(environment: key.environment, bundle: key.bundle, appTransactionId: $0)
        }
    }
}

extension StatusContext {
    /// Whether the key has an entitled subscription. Non-consumables do not count.
    fileprivate var isSubscribed: Bool { access != .none && period.type != .nonConsumable }
}
