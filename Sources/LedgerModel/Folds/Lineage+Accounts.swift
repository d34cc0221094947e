import AppStoreModel
import Primitives

extension Sequence<Lineage> {
    /// Returns the lineages grouped by Apple accounts: two lineages that share one, directly or through others, are in
    /// one group. The state of a key depends on its group alone.
    package func groupedByAccounts() -> [[Lineage]] {
        var groups: [[Lineage]] = []
        var sets = DisjointSets<Node>()
        let lineages = Array(self)
        for (index, lineage) in lineages.enumerated() {
            for account in lineage.accounts { sets.unite(.lineage(index), account) }
        }
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

private enum Node: Hashable {
    case lineage(Int)
    case account(environment: Environment, bundleId: String, appTransactionId: AppleID)
}

extension Lineage {
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
