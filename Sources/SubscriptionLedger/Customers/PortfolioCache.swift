import EventLog
import LedgerModel
import Synchronization

/// What is known of customers as it was last gathered, by the name that was asked for: the same customers come again
/// and again, and of most nothing new has come between. In memory alone: on the disk a name is in the vault only.
final class PortfolioCache: Sendable {
    struct Entry: Sendable {
        /// Nil when nobody is known by the name, nor anything.
        let portfolio: Portfolio?
        /// How many events it rests on; further ones under these terms, somebody met by these names, or further tokens
        /// of these customers would change it.
        let size: Position
        let terms: [IndexTerm]
        let unmetNames: [CustomerName]
        let tokensByHandle: [CustomerHandle: [AppAccountToken]]
        /// The last that was answered.
        var state: CustomerState?

        /// An observation takes, folded and with its share of the answer, one or two kilobytes.
        fileprivate var weight: Int { portfolio?.observationCount ?? 0 }
    }

    /// In observations.
    private static let weightLimit = 65_536

    fileprivate struct State {
        var entries: [[UInt8]: Entry] = [:]
        /// Oldest first, those before `forgotten` being no more.
        var names: [[UInt8]] = []
        var forgotten = 0
        var weight = 0
    }

    private let state = Mutex(State())

    func entry(of name: CustomerName) -> Entry? {
        state.withLock { $0.entries[name.bytes] }
    }

    func keep(_ entry: Entry, of name: CustomerName) {
        // Who has nothing is gathered quickly, and names that nobody has must not drive out others.
        guard entry.weight > 0, entry.weight <= Self.weightLimit / 16 else { return }
        state.withLock { state in
            if let old = state.entries.updateValue(entry, forKey: name.bytes) {
                state.weight -= old.weight
            } else {
                state.names.append(name.bytes)
            }
            state.weight += entry.weight
            while state.weight > Self.weightLimit { state.forgetOldest() }
        }
    }
}

extension PortfolioCache.State {
    fileprivate mutating func forgetOldest() {
        guard forgotten < names.count else { return }
        weight -= entries.removeValue(forKey: names[forgotten])?.weight ?? 0
        forgotten += 1
        if forgotten > names.count / 2 {
            names.removeFirst(forgotten)
            forgotten = 0
        }
    }
}
