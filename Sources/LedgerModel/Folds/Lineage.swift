import AppStoreModel

/// Subscription keys that are one subscription to Apple: joined by migration, or by one Apple account holding both
/// in one group. The unit that SubscriptionStatus reads.
package struct Lineage: Hashable, Sendable {
    /// In the order of their keys.
    package let subscriptions: [Subscription]

    /// Whether more was bought than is known: true until the transaction that began each key has been seen.
    package var isHistoryIncomplete: Bool {
        !subscriptions.allSatisfy(\.isFirstTransactionKnown)
    }

    /// The lineages among these timelines, ordered by their first keys. Which keys a component holds does not
    /// depend on the order of the edges.
    ///
    /// An edge to a key without a timeline still joins: two keys that name one predecessor belong together before
    /// the predecessor itself is seen.
    package static func components(of timelines: [SubscriptionKey: Timeline]) -> [Lineage] {
        let subscriptions = timelines.sorted { $0.key < $1.key }.map { Subscription(key: $0.key, timeline: $0.value) }
        var components = DisjointSets<Joint>()
        for subscription in subscriptions {
            let node = Joint.key(subscription.key)
            for joint in subscription.joints { components.unite(node, joint) }
        }
        var members: [Joint: [Subscription]] = [:]
        var roots: [Joint] = []
        for subscription in subscriptions {
            let root = components.root(of: .key(subscription.key))
            if members[root] == nil { roots.append(root) }
            members[root, default: []].append(subscription)
        }
        return roots.map { Lineage(subscriptions: replacing(members[$0] ?? [])) }
    }
}

/// What keys are joined by: two keys that share one belong to one lineage.
private enum Joint: Hashable {
    case key(SubscriptionKey)
    case account(environment: Environment, bundleId: String, appTransactionId: String, group: String)
}

extension Subscription {
    /// What it shares with the other keys of its lineage, besides its own key.
    fileprivate var joints: [Joint] {
        let migrations = previousOriginalTransactionIds.map {
            Joint.key(
                SubscriptionKey(environment: key.environment, bundleId: key.bundleId, originalTransactionId: $0))
        }
        let accounts = appTransactionIds.flatMap { id in
            subscriptionGroupIdentifiers.map { group in
                Joint.account(
                    environment: key.environment, bundleId: key.bundleId, appTransactionId: id, group: group)
            }
        }
        return migrations + accounts
    }
}
