import AppStoreModel
package import LedgerModel
package import Primitives
import SubscriptionStatus

extension [Lineage] {
    /// Returns the next question about an account; nil when there is none.
    ///
    /// - Parameters:
    ///   - t: now.
    ///   - asked: the questions so far, besides those whose answers are among the facts.
    ///   - rules: the rules of the state.
    package func duePoll(at t: Instant, asked: AskedAccount, policy: PollPolicy, rules: Rules) -> DuePoll? {
        let asked = asked.joined(with: self)
        let states = Dictionary(uniqueKeysWithValues: states(at: t, rules: rules).map { ($0.key, $0) })
        var best: DuePoll?
        for lineage in self {
            for subscription in lineage.subscriptions {
                var polls = subscription.pollsForUnprovenStatements(asked, policy)
                if let state = states[subscription.key] {
                    polls += PolledSubscription(subscription, of: lineage, state, asked, policy, at: t)?.duePolls ?? []
                }
                for due in polls where best.map({ due.precedes($0, at: t) }) ?? true { best = due }
            }
        }
        return best
    }
}

extension AskedAccount {
    /// Adds the answers about statuses among the facts.
    fileprivate func joined(with lineages: [Lineage]) -> AskedAccount {
        var joined = self
        for notification in lineages.lazy.flatMap(\.subscriptions).flatMap(\.notifications)
        where notification.value.isPolledStatus {
            joined.answeredAt = Swift.max(joined.answeredAt ?? .earliest, notification.source.recordedAt)
        }
        return joined
    }
}

extension NotificationFact {
    /// Whether this is a status in an answer of the App Store Server API.
    fileprivate var isPolledStatus: Bool { notificationUUID == nil && notificationType == nil && status != nil }
}
