import Dispatch
import HashIndex
import LMDB
import LedgerStorage
import Primitives
import Synchronization

/// The index from idempotency and notification keys to positions.
///
/// Keys arrive in random order and would slow down the append-ordered log, so the index has its own environment. Keys
/// of recent events stay in memory until a background thread stores them, in one synced transaction per 65,536 events
/// or two seconds. The index can be rebuilt from the log alone.
final class DuplicateIndex: Sendable {
    static let batch = 65_536
    static let interval = DispatchTimeInterval.seconds(2)
    /// The number of events with keys in memory at which appends become `busy`.
    static let pendingLimit: UInt64 = 262_144

    private let database: RecoverableEnvironment<DuplicateDatabase>
    private let pending: Mutex<PendingKeys>
    private let thread = PeriodicThread(every: interval)
    /// Held while keys move from memory to the database. Several threads may try this at once.
    private let storing = Mutex<Void>(())

    /// Opens the index. Creates it when it is missing or of another version.
    init(directory: String, mapSizeBytes: Int) throws {
        database = try RecoverableEnvironment("the duplicate index") {
            try DuplicateDatabase.openOrReplace(directory: directory, mapSizeBytes: mapSizeBytes)
        }
        pending = Mutex(PendingKeys(from: try database.current().size()))
    }

    /// - Throws: `log_corrupt` when the index has more events than the log: one of the two belongs to another ledger.
    func requireNoMore(than log: LogReader) throws {
        let (size, indexed) = (try log.size(), size)
        guard indexed <= size else {
            throw StorageError(
                .logCorrupt, "the duplicate index is ahead of the log", expected: "at most \(size) events",
                found: "\(indexed)", hint: StorageError.rebuildHint)
        }
    }

    /// Whether the log has events whose keys are not indexed.
    func isBehind(_ log: LogReader) throws -> Bool { try size < log.size() }

    /// The number of events whose keys are indexed, stored or in memory.
    private var size: UInt64 { pending.withLock { $0.end } }

    /// The number of events whose keys are not yet stored.
    var lag: UInt64 { pending.withLock { $0.end - $0.start } }

    var isFull: Bool { lag >= Self.pendingLimit }

    /// The reason that storing fails; nil when it succeeds.
    var failure: String? { thread.failure }

    /// Returns the first positions of those keys that are in the log.
    func firstPositions(of keys: [IdempotencyKey]) throws -> [IdempotencyKey: UInt64] {
        // Keys in memory are read first: keys that leave memory in the meantime are already stored.
        let recent = pending.withLock { pending in pending.positions(of: keys) }
        let stored = try database.current().firstPositions(of: keys)
        return recent.merging(stored) { min($0, $1) }
    }

    /// Adds the keys of events that have become durable.
    /// - Parameter size: the number of events in the log, including these.
    func add(_ keys: [IdempotencyKey: UInt64], size: UInt64) {
        let lag = pending.withLock { pending in
            pending.add(keys, size: size)
            return pending.end - pending.start
        }
        if lag >= Self.batch { thread.wake() }
    }

    /// Adds the keys of events that are in the log but not in the index.
    func catchUp(with log: LogReader) throws {
        let head = try log.size()
        while size < head {
            var keys: [IdempotencyKey: UInt64] = [:]
            let end = try log.forEach(from: size, below: head) { record, evidence in
                for key in [record.idempotencyKey, try record.notificationKey(evidence)].compactMap(\.self)
                where keys[key] == nil {
                    keys[key] = record.position
                }
            }
            add(keys, size: end)
            if lag >= Self.batch { try store() }
        }
    }

    func start() throws(StorageError) {
        try thread.start { [self] in try storeAll() }
    }

    /// Stores the keys in memory.
    func storeAll() throws {
        while lag > 0 { try store() }
    }

    /// Stores the keys in memory and stops the thread.
    func close() {
        thread.close()
    }

    /// Stores the keys of up to 65,536 events in one transaction.
    /// - Throws: `StorageError`, also `map_full` and `disk_full`; the keys then stay in memory.
    private func store() throws {
        try storing.withLock { _ in
            let (entries, size) = pending.withLock { $0.prefix(Self.batch) }
            do {
                try database.currentOrReopened().add(entries, size: size)
            } catch let error as LMDBError {
                if !StorageError.isNoRoom(error) { try database.reopen() }
                throw StorageError(error, while: "updating the duplicate index failed")
            }
            pending.withLock { $0.remove(below: size) }
        }
    }
}
