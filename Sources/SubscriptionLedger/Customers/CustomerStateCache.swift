import LedgerModel
import Primitives
import Synchronization

/// A cache of the newest state of each customer, in memory only.
///
/// Backends ask for the same customers repeatedly. A state takes more processor time to compute than the HTTP request
/// takes to serve: without the cache, a service answers a third as many repeated requests.
final class CustomerStateCache: Sendable {
    struct Entry: Sendable {
        let state: CustomerState
        let rules: Rules
        let scope: CustomerScope
        /// The instants at which the state is the same.
        let validity: Range<Instant>
        let reads: ReadSet
    }

    /// The maximum weight of all entries. A row, with its text, takes about four kilobytes.
    private static let limit = 16_384

    private struct Generations {
        var newer: [CustomerReference: Entry] = [:]
        var older: [CustomerReference: Entry] = [:]
        /// The weight of the newer generation, with that of replaced entries.
        var weight = 0
    }

    private let generations = Mutex(Generations())

    func entry(of reference: CustomerReference) -> Entry? {
        generations.withLock { $0.newer[reference] ?? $0.older[reference] }
    }

    /// Forgets all states, for example after an erasure.
    func removeAll() {
        let removed = generations.withLock { generations -> Generations in
            defer { generations = Generations() }
            return generations
        }
        // Freed outside the lock.
        withExtendedLifetime(removed) {}
    }

    /// Adds an entry. It stays at least until half of the limit has been added after it.
    func keep(_ entry: Entry, of reference: CustomerReference) {
        // A hundred terms take as much memory as a row, and longer to compare.
        let weight = entry.state.rowCount + entry.reads.terms.count / 100
        // Customers without purchases are cheap to look up, and very large ones would evict too many others.
        guard entry.state.rowCount > 0, weight <= Self.limit / 16 else { return }
        // Freed outside the lock, which answers wait for.
        let evicted = generations.withLock { generations -> [CustomerReference: Entry] in
            var evicted: [CustomerReference: Entry] = [:]
            if generations.weight + weight > Self.limit / 2 {
                evicted = generations.older
                generations = Generations(older: generations.newer)
            }
            generations.newer[reference] = entry
            generations.weight += weight
            return evicted
        }
        withExtendedLifetime(evicted) {}
    }
}

/// The customer named in a question: an external id, or a handle from an earlier answer.
enum CustomerReference: Hashable, Sendable {
    case name(ExternalCustomerID)
    case handle(CustomerHandle)
}
