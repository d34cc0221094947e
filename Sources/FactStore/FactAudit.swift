package import EventLog
import HashIndex
package import LMDB
package import LedgerModel
import LedgerStorage
import Primitives
import Synchronization

/// Compares the stored facts and their index with those that the evidence of the log gives.
///
/// Covers the events that are stored when it is created; a writer may store more meanwhile.
package final class FactAudit: Sendable {
    /// The number of events to compare.
    package let size: Position
    private let database: FactDatabase
    /// The entries that the index must have.
    private let entries = Mutex(EntrySum())

    /// - Parameter limit: the number of the log's events that are compared at most.
    /// - Returns: nil when no facts are stored.
    package init?(of facts: FactIndex, below limit: Position) throws {
        guard let database = try facts.currentDatabase() else { return nil }
        self.database = database
        size = min(try database.size(), limit)
    }

    /// Compares the facts of an event, decoded from its evidence, with the stored ones. Any thread may call this.
    /// - Returns: whether they are the same, byte for byte.
    package func matches(_ record: Record, _ decoded: IndexedFacts) throws -> Bool {
        let event = IndexedEvent(position: record.position, recordedAt: record.recordedAt, facts: decoded)
        var sum = EntrySum()
        for term in decoded.terms { sum.add(IndexEntry(key: term.hash, position: record.position)) }
        entries.withLock { $0.add(sum) }
        do {
            return try database.stores(event)
        } catch let error as StorageError where error.code == .logCorrupt {
            return false
        }
    }

    /// Compares the index with the terms of all events that `matches` was called with.
    /// - Precondition: these are the first `size` events.
    /// - Returns: a fault; nil when the index has exactly these entries.
    package func indexFault(report: (Double) -> Void) throws -> String? {
        do {
            return try database.fault(expecting: entries.withLock { $0 }, below: size, report: report)
        } catch let error as StorageError where error.code == .logCorrupt {
            return error.diagnosis.message
        }
    }

    /// The databases of the stored facts.
    package static var databases: [(name: String, flags: Database.Flags)] { FactDatabase.databases }

    /// The number of entries of the index.
    package var entryCount: UInt64 { entries.withLock { $0.count } }
}
