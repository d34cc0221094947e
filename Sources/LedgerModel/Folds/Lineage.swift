import AppStoreModel
import Primitives

/// Subscription keys that are one subscription to Apple: joined by migration, or by one Apple account that has both in
/// one group. The input unit of SubscriptionStatus.
package struct Lineage: Hashable, Sendable {
    /// Ordered by key.
    package let subscriptions: [Subscription]

    /// Whether purchases are missing: true until the beginning of each key is known, and each key from which one of them
    /// migrated.
    package var isHistoryIncomplete: Bool {
        !subscriptions.allSatisfy { subscription in
            subscription.isBeginningKnown
                && subscription.previousOriginalTransactionIds.allSatisfy { previous in
                    subscriptions.contains { $0.key.originalTransaction == previous }
                }
        }
    }

    /// Returns the lineages among these timelines, ordered by their first keys. The keys of a component do not depend
    /// on the order of the edges.
    ///
    /// An edge to a key without a timeline also joins. Two keys that name one predecessor belong together before the
    /// predecessor itself is known.
    package static func components(of timelines: [SubscriptionKey: Timeline]) -> [Lineage] {
        components(of: Array(timelines))
    }

    /// Returns the same lineages.
    /// - Parameter timelines: each key once.
    package static func components(of timelines: [(key: SubscriptionKey, value: Timeline)]) -> [Lineage] {
        guard timelines.count > 1 else {
            return timelines.map { Lineage(joining: [Subscription(key: $0.key, timeline: $0.value)]) }
        }
        let subscriptions = timelines.sorted { $0.key < $1.key }.map { Subscription(key: $0.key, timeline: $0.value) }
        var components = DisjointSets<Link>()
        for subscription in subscriptions {
            let node = Link.key(subscription.key)
            for link in subscription.links { components.unite(node, link) }
        }
        var members: [Link: [Subscription]] = [:]
        var roots: [Link] = []
        for subscription in subscriptions {
            let root = components.root(of: .key(subscription.key))
            if members[root] == nil { roots.append(root) }
            members[root, default: []].append(subscription)
        }
        return roots.map { Lineage(joining: members[$0] ?? []) }
    }

    /// - Parameter subscriptions: the subscriptions of one lineage, ordered by key.
    private init(joining subscriptions: [Subscription]) {
        self.subscriptions = Self.replacing(subscriptions)
    }
}

/// A node that joins keys: two keys that share one belong to one lineage.
private enum Link: Hashable {
    case key(SubscriptionKey)
    case account(environment: Environment, bundle: Symbol, appTransactionId: AppleID, group: Symbol)
}

extension Subscription {
    /// The nodes, other than the key itself, that the key may share with other keys of its lineage.
    fileprivate var links: [Link] {
        let migrations = previousOriginalTransactionIds.map {
            Link.key(SubscriptionKey(environment: key.environment, bundle: key.bundle, originalTransaction: $0))
        }
        let accounts = appTransactionIds.flatMap { id in
            subscriptionGroupIdentifiers.map { group in
                Link.account(
                    environment: key.environment, bundle: key.bundle, appTransactionId: id, group: group)
            }
        }
        return migrations + accounts
    }
}
