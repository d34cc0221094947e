import HashIndex
package import LMDB
package import LedgerStorage
import Primitives
import Synchronization

/// Compares the stored duplicate index with the keys of the log's events. A missing key would let a duplicate in, and a
/// key too many would keep an event out.
///
/// Covers the events whose keys are stored when it is created; a writer may store more meanwhile.
package final class IdentityAudit: Sendable {
    /// The number of events to compare.
    package let size: UInt64
    private let database: DuplicateDatabase
    private let keys = Mutex(Keys())

    /// The databases of the duplicate index.
    package static var databases: [(name: String, flags: Database.Flags)] { DuplicateDatabase.databases }

    private struct Keys {
        /// The entries that the index must have.
        var sum = EntrySum()
        /// The entries that it may have: a repeated notification is found at its first event.
        var optional: Set<IndexEntry> = []
    }

    /// - Parameter limit: the number of the log's events that are compared at most.
    /// - Returns: nil when no keys are stored.
    /// - Throws: `version_unknown`, `log_corrupt`, `io_error`.
    package init?(reading folder: DataFolder, mapSizeBytes: Int, below limit: UInt64) throws {
        guard
            let database = try DuplicateDatabase(reading: folder.identities, mapSizeBytes: mapSizeBytes)
        else { return nil }
        self.database = database
        size = min(try database.size(), limit)
    }

    /// Adds the keys of an event. Any thread may call this.
    /// - Throws: `log_corrupt` when the evidence of a notification cannot be read.
    func add(_ record: Record, _ evidence: EventEvidence) throws {
        guard record.position < size else { return }
        let key = IndexEntry(key: record.idempotencyKey.value, position: record.position)
        let notification = try record.notificationKey(evidence).map {
            IndexEntry(key: $0.value, position: record.position)
        }
        var sum = EntrySum()
        sum.add(key)
        let isRepeat = record.flags.contains(.repeats)
        if let notification, !isRepeat { sum.add(notification) }
        keys.withLock { keys in
            keys.sum.add(sum)
            if let notification, isRepeat { keys.optional.insert(notification) }
        }
    }

    /// Compares the index with the keys of all added events.
    /// - Precondition: the first `size` events were added.
    /// - Returns: a fault; nil when the index has exactly these keys.
    package func fault(report: (Double) -> Void) throws -> String? {
        let keys = keys.withLock { $0 }
        do {
            return try database.fault(expecting: keys.sum, besides: keys.optional, below: size, report: report)
        } catch let error as StorageError where error.code == .logCorrupt {
            return error.message
        }
    }
}
