import LedgerModel
import Synchronization

/// A cache of customer timelines by external id or handle. It is kept in memory only.
final class CustomerTimelinesCache: Sendable {
    struct Entry: Sendable {
        /// The timelines; nil when the id has no customer.
        let timelines: CustomerTimelines?
        let reads: ReadSet
        /// The last answer computed from the entry.
        var state: CustomerState?

        /// The number of observations. Each takes one or two kilobytes, including its share of the folds and the
        /// answer.
        fileprivate var weight: Int { timelines?.observationCount ?? 0 }
    }

    /// The maximum number of observations in all entries.
    private static let weightLimit = 65_536

    fileprivate struct State {
        var entries: [CustomerReference: Entry] = [:]
        /// The cached references, oldest first. The first `forgotten` ones are already removed from the cache.
        var references: [CustomerReference] = []
        var forgotten = 0
        var weight = 0
    }

    private let state = Mutex(State())

    func entry(of reference: CustomerReference) -> Entry? {
        state.withLock { $0.entries[reference] }
    }

    func keep(_ entry: Entry, of reference: CustomerReference) {
        // Customers without purchases are cheap to load, and very large ones would evict too many others.
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

extension CustomerTimelinesCache.State {
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

/// The customer named in a question: an external id, or a handle from an earlier answer.
enum CustomerReference: Hashable, Sendable {
    case name(ExternalCustomerID)
    case handle(CustomerHandle)
}
