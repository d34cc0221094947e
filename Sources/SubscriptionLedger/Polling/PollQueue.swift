import AppStoreModel
import DuePolls
import HeapModule
import LedgerModel
import Primitives

/// The next poll of each account, by the smallest key of the account.
///
/// An account that is joined with another later has two rows for a while. That is harmless, because a row is judged again
/// when it is taken.
struct PollQueue {
    private var polls: [SubscriptionKey: DuePoll] = [:]
    /// The smallest key of the account of every other key.
    private var smallest: [SubscriptionKey: SubscriptionKey] = [:]
    /// Polls that are not due, the earliest first. May contain outdated rows.
    private var later = Heap<Later>()
    /// Polls that are due, the most urgent first. May contain outdated rows.
    private var ready = Heap<Ready>()
    /// The accounts whose polls were put before all others, once each.
    private var prioritized: Set<SubscriptionKey> = []

    var count: Int { polls.count }
    /// The rows in memory, outdated ones included.
    var rowCount: Int { later.count + ready.count }

    /// - Parameter account: the keys of an account, ascending.
    mutating func set(_ poll: DuePoll?, of account: [SubscriptionKey]) {
        guard let first = account.first else { return }
        for key in account.dropFirst() {
            polls[key] = nil
            smallest[key] = poll == nil ? nil : first
        }
        guard polls[first] != poll else { return }
        polls[first] = poll
        prioritized.remove(first)
        if let poll { later.insert(Later(account: first, poll: poll)) }
    }

    /// Puts the poll of a key that is due at `t` before all others.
    mutating func prioritize(_ key: SubscriptionKey, at t: Instant) {
        let account = smallest[key] ?? key
        guard let poll = polls[account], poll.dueAt <= t, prioritized.insert(account).inserted else { return }
        ready.insert(Ready(account: account, poll: poll, isPrioritized: true))
    }

    /// Returns the most urgent poll that is due at `t`.
    mutating func first(at t: Instant) -> Ready? {
        while let row = later.min, row.poll.dueAt <= t {
            later.removeMin()
            if polls[row.account] == row.poll { ready.insert(Ready(account: row.account, poll: row.poll)) }
        }
        while let row = ready.min {
            if polls[row.account] == row.poll { return row }
            ready.removeMin()
        }
        return nil
    }

    /// Removes the poll that `first(at:)` returned.
    mutating func remove(_ row: Ready) {
        polls[row.account] = nil
        prioritized.remove(row.account)
    }

    private struct Later: Comparable {
        let account: SubscriptionKey
        let poll: DuePoll

        static func < (left: Later, right: Later) -> Bool { left.poll.dueAt < right.poll.dueAt }
    }

    /// A poll that is due.
    struct Ready: Comparable {
        let account: SubscriptionKey
        let poll: DuePoll
        private let isPrioritized: Bool
        /// Decides between equally urgent polls, whatever the order in which they came.
        private let hash: UInt128

        init(account: SubscriptionKey, poll: DuePoll, isPrioritized: Bool = false) {
            self.account = account
            self.poll = poll
            self.isPrioritized = isPrioritized
            hash =
                Digest.sha256(
                    of: "\(account.environment.rawValue)\0\(account.bundleId)\0\(account.originalTransactionId)".utf8
                ).firstHalf
        }

        static func < (left: Ready, right: Ready) -> Bool {
            if left.isPrioritized != right.isPrioritized { return left.isPrioritized }
            if left.poll.reason != right.poll.reason { return left.poll.reason.urgency < right.poll.reason.urgency }
            if left.poll.dueAt != right.poll.dueAt { return left.poll.dueAt < right.poll.dueAt }
            return left.hash < right.hash
        }
    }
}
