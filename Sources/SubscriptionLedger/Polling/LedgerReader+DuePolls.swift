import AppStoreModel
package import DuePolls
import FactStore
package import LedgerAPI
import LedgerModel
import LedgerStorage
package import Primitives
import ProjectionRuntime

/// The next poll of an account.
struct AccountPoll: Sendable {
    /// The keys of the account, ascending.
    let account: [SubscriptionKey]
    let poll: DuePoll
}

extension LedgerReader {
    /// Returns the next poll of each account that has one, those that are due at `t` first, the most urgent first.
    /// - Throws: `StorageError`.
    /// - Complexity: O(n) for n facts.
    package func duePolls(at t: Instant, policy: PollPolicy) throws -> [PollRow] {
        let attempts = try PollStore(reading: configuration.folder)
        return try duePolls(at: t, before: .latest, policy: policy, attempts).polls.sorted { left, right in
            if left.poll.precedes(right.poll, at: t) { return true }
            return !right.poll.precedes(left.poll, at: t) && left.poll.key < right.poll.key
        }.map { PollRow($0.poll) }
    }

    /// Returns the next poll of each account that has one before `horizon`, and the number of events that are known.
    func duePolls(
        at t: Instant, before horizon: Instant, policy: PollPolicy, _ attempts: PollStore?
    ) throws -> (polls: [AccountPoll], size: Position) {
        let rules = try rules(knownAt: try knownSize(nil))
        let units = try UnitFold(of: facts)
        let folder = try Folder.temporary()
        defer { try? folder.remove() }
        let parts = try units(in: folder.path, readsCustomers: false) { _ in
            [AccountPoll]()
        } add: { polls, unit in
            let account = unit.timelines.keys.sorted()
            guard let key = account.first, key.isAsked else { return }
            let attempt = try attempts?.attempt(about: account) ?? PollStore.Attempt()
            if let poll = unit.lineages.duePoll(at: t, after: attempt, policy: policy, rules: rules),
                poll.dueAt < horizon
            {
                polls.append(AccountPoll(account: account, poll: poll))
            }
        } finish: {
            $0
        }
        return (parts.flatMap(\.self), units.snapshot.size)
    }
}

extension PollRow {
    fileprivate init(_ poll: DuePoll) {
        self.init(
            id: SubscriptionID(poll.key), dueAt: poll.dueAt, why: poll.reason.rawValue, attempt: poll.attempt)
    }
}

extension SubscriptionKey {
    /// Whether Apple's servers know subscriptions of this environment.
    var isAsked: Bool { environment == .production || environment == .sandbox }
}
