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

    /// The maximum number of rows in all entries. Each takes about four kilobytes, with its text.
    private static let rowLimit = 16_384

    private struct Generations {
        var newer: [CustomerReference: Entry] = [:]
        var older: [CustomerReference: Entry] = [:]
        /// The number of rows in the newer generation, those of replaced entries included.
        var rows = 0
    }

    private let generations = Mutex(Generations())

    func entry(of reference: CustomerReference) -> Entry? {
        generations.withLock { $0.newer[reference] ?? $0.older[reference] }
    }

    /// Adds an entry. It stays at least until half of the limit has been added after it.
    func keep(_ entry: Entry, of reference: CustomerReference) {
        let rows = entry.state.rowCount
        // Customers without purchases are cheap to look up, and very large ones would evict too many others.
        guard rows > 0, rows <= Self.rowLimit / 16 else { return }
        generations.withLock { generations in
            if generations.rows + rows > Self.rowLimit / 2 {
                generations = Generations(older: generations.newer)
            }
            generations.newer[reference] = entry
            generations.rows += rows
        }
    }
}

/// The customer named in a question: an external id, or a handle from an earlier answer.
enum CustomerReference: Hashable, Sendable {
    case name(ExternalCustomerID)
    case handle(CustomerHandle)
}
