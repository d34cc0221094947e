import AppStoreModel
import Primitives

extension Sequence<Lineage> {
    /// Returns the lineages grouped by Apple accounts: two lineages that share one, directly or through others, are in
    /// one group. The state of a key depends on its group alone.
    ///
    /// A receipt joins its keys too, unless their appTransactionIds differ.
    package func groupedByAccounts() -> [[Lineage]] {
        var groups: [[Lineage]] = []
        var sets = DisjointSets<Node>()
        let lineages = Array(self)
        for (index, lineage) in lineages.enumerated() {
            for account in lineage.accounts { sets.unite(.lineage(index), account) }
        }
        for (index, other) in lineages.companions { sets.unite(.lineage(index), .lineage(other)) }
        var indices: [Node: Int] = [:]
        for (index, lineage) in lineages.enumerated() {
            let root = sets.root(of: .lineage(index))
            if let group = indices[root] {
                groups[group].append(lineage)
            } else {
                indices[root] = groups.count
                groups.append([lineage])
            }
        }
        return groups
    }
}

extension [Lineage] {
    /// The pairs of lineages that a receipt joins.
    fileprivate var companions: [(Int, Int)] {
        guard contains(where: { $0.subscriptions.contains { !$0.companions.isEmpty } }) else { return [] }
        var indices: [SubscriptionKey: Int] = [:]
        for (index, lineage) in enumerated() {
            for subscription in lineage.subscriptions { indices[subscription.key] = index }
        }
        return enumerated().flatMap { index, lineage in
            lineage.subscriptions.flatMap { subscription in
                subscription.companions.compactMap { companion -> (Int, Int)? in
                    let key = SubscriptionKey(
                        environment: subscription.key.environment, bundle: subscription.key.bundle,
                        originalTransaction: companion)
                    guard let other = indices[key], other != index, !lineage.differs(from: self[other]) else {
                        return nil
                    }
                    return (index, other)
                }
            }
        }
    }
}

private enum Node: Hashable {
    case lineage(Int)
    case account(environment: Environment, bundleId: String, appTransactionId: AppleID)
}

extension Lineage {
    /// Whether both name Apple accounts, and none that is the same.
    fileprivate func differs(from other: Lineage) -> Bool {
        let (mine, others) = (accounts, other.accounts)
        return !mine.isEmpty && !others.isEmpty && !mine.contains(where: others.contains)
    }

    fileprivate var accounts: [Node] {
        subscriptions.flatMap { subscription in
            subscription.appTransactionIds.map {
                Node.account(
                    environment: subscription.key.environment, bundleId: subscription.key.bundleId,
                    appTransactionId: $0)
            }
        }
    }
}
