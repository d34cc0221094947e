import AppStoreModel
import LedgerModel
import Primitives

extension [Lineage] {
    /// Returns some Apple accounts, each with its lineages: those with one of its appTransactionIds. A lineage without
    /// one is an account by itself.
    /// - Parameters:
    ///   - keys: keys of the accounts.
    ///   - downloads: downloads of the accounts.
    func appleAccounts(namedBy keys: Set<SubscriptionKey>, _ downloads: Set<AppAccountKey>) -> [[Lineage]] {
        var open = indices.filter { index in
            self[index].subscriptions.contains { keys.contains($0.key) }
                || !self[index].accounts.isDisjoint(with: downloads)
        }
        var members: [AppAccountKey: [Int]] = [:]
        for index in indices {
            for account in self[index].accounts { members[account, default: []].append(index) }
        }
        var taken = Set<Int>()
        var accounts: [[Lineage]] = []
        while let first = open.popLast() {
            guard taken.insert(first).inserted else { continue }
            var joined = [first]
            var next = 0
            while next < joined.count {
                for account in self[joined[next]].accounts {
                    for index in members[account] ?? [] where taken.insert(index).inserted { joined.append(index) }
                }
                next += 1
            }
            accounts.append(joined.map { self[$0] })
        }
        return accounts
    }
}

extension Lineage {
    fileprivate var accounts: Set<AppAccountKey> {
        subscriptions.reduce(into: []) { accounts, subscription in
            for id in subscription.appTransactionIds {
                accounts.insert(
                    AppAccountKey(
                        environment: subscription.key.environment, bundle: subscription.key.bundle,
                        account: .appTransaction(id)))
            }
        }
    }
}
