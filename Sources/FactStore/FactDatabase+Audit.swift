import HashIndex
import LMDB
import LedgerStorage
import Primitives

extension FactDatabase {
    /// Whether exactly this event is stored at its position.
    func stores(_ event: IndexedEvent) throws -> Bool {
        try reading { transaction in
            guard let stored = try transaction.get(event.position, in: facts) else { return false }
            // The symbols of a stored event are stored with it, so its bytes need no new numbers.
            var numbering = try numbering(transaction)
            let expected = try StoredEvent.bytes(of: event, &numbering)
            return stored.byteCount == expected.count && stored.array(in: 0..<stored.byteCount) == expected
        }
    }

    /// Compares the index with the entries that the first events must have.
    /// - Returns: the first fault; nil when there is none.
    func fault(expecting expected: EntrySum, below size: UInt64, report: (Double) -> Void) throws -> String? {
        try reading { transaction in
            let stored = try self.size(transaction)
            let count = try transaction.statistics(of: facts).entries
            guard UInt64(count) == stored else { return "\(count) events have facts, expected \(stored)" }
            if let fault = try terms.fault(transaction, report: { report(0) }) { return "the index of facts: \(fault)" }
            var isAhead = false
            let found = try terms.sum(transaction) { entry in
                if entry.position >= stored { isAhead = true }
                return entry.position < size
            } report: {
                report($0)
            }
            guard !isAhead, found == expected else {
                return "the index of the facts of \(size) events has \(found.count) entries, or others than the "
                    + "\(expected.count) that the facts give"
            }
            return nil
        }
    }
}
