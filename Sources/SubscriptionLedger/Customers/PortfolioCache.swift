import EventLog
import LedgerModel
import Synchronization

/// A memory-only cache of customer timelines by external id or handle. On disk, external ids are in the vault alone.
final class PortfolioCache: Sendable {
    struct Entry: Sendable {
        /// Nil when the id has no customer.
        let portfolio: Portfolio?
        /// The number of events the entry rests on. The terms, ids and tokens below tell when it is outdated.
        let size: Position
        let terms: [IndexTerm]
        let unmetNames: [CustomerName]
        let tokensByHandle: [CustomerHandle: [AppAccountToken]]
        /// The last answer given from the entry.
        var state: CustomerState?

        /// The number of observations. Each takes one or two kilobytes, with its share of the folds and the answer.
        fileprivate var weight: Int { portfolio?.observationCount ?? 0 }
    }

    /// The number of observations that all entries hold at most.
    private static let weightLimit = 65_536

    fileprivate struct State {
        var entries: [CustomerReference: Entry] = [:]
        /// Oldest first. The first `forgotten` references are already removed from the cache.
        var references: [CustomerReference] = []
        var forgotten = 0
        var weight = 0
    }

    private let state = Mutex(State())

    func entry(of reference: CustomerReference) -> Entry? {
        state.withLock { $0.entries[reference] }
    }

    func keep(_ entry: Entry, of reference: CustomerReference) {
        // Customers without purchases are cheap to gather and must not evict others.
        guard entry.weight > 0, entry.weight <= Self.weightLimit / 16 else { return }
        state.withLock { state in
            if let old = state.entries.updateValue(entry, forKey: reference) {
                state.weight -= old.weight
            } else {
                state.references.append(reference)
            }
            state.weight += entry.weight
            while state.weight > Self.weightLimit { state.forgetOldest() }
        }
    }
}

extension PortfolioCache.State {
    fileprivate mutating func forgetOldest() {
        guard forgotten < references.count else { return }
        weight -= entries.removeValue(forKey: references[forgotten])?.weight ?? 0
        forgotten += 1
        if forgotten > references.count / 2 {
            references.removeFirst(forgotten)
            forgotten = 0
        }
    }
}
