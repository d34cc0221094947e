import AppStoreModel
import LedgerModel
import Primitives

extension [Lineage] {
    /// Returns the Apple accounts of some keys, each with its lineages: those with one of its appTransactionIds. A
    /// lineage without one is an account by itself.
    func appleAccounts(namedBy keys: Set<SubscriptionKey>) -> [[Lineage]] {
        var open = indices.filter { self[$0].subscriptions.contains { keys.contains($0.key) } }
        var members: [Account: [Int]] = [:]
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

/// One download of the app by one Apple account.
private struct Account: Hashable {
    let environment: Environment
    let bundle: Symbol
    let appTransactionId: AppleID
}

extension Lineage {
    fileprivate var accounts: Set<Account> {
        subscriptions.reduce(into: []) { accounts, subscription in
            for id in subscription.appTransactionIds {
                accounts.insert(
                    Account(
                        environment: subscription.key.environment, bundle: subscription.key.bundle,
                        appTransactionId: id))
            }
        }
    }
}
