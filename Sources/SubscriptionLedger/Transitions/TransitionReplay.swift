import FactStore
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime

/// Computes the rows of the feed from all facts at once, on several threads. They are those that following the log event
/// by event appends, byte for byte.
struct TransitionReplay: Sendable {
    let units: UnitFold
    let rules: RulesHistory
    /// Rows that are due without an event from this instant on are left out.
    let end: Instant

    /// - Parameters:
    ///   - folder: an existing folder for temporary files.
    ///   - check: called often; ends the work by throwing.
    /// - Throws: `StorageError`; the errors of `check`.
    func run(in folder: String, check: @escaping @Sendable () throws -> Void) throws -> [Part.Finished] {
        try units(in: folder, readsCustomers: true) { worker in
            Part(
                rows: units.sorter(2 * worker, in: folder, of: 2),
                announced: units.sorter(2 * worker + 1, in: folder, of: 2))
        } add: { part, unit in
            try part.add(try UnitTransitions(of: unit, rules: rules, before: end, check: check), units.snapshot)
        } finish: { part in
            part.finished()
        }
    }

    /// The rows and the announced subscriptions that one thread finds.
    struct Part: Sendable {
        struct Finished: Sendable {
            let rows: SortedRuns
            let announced: SortedRuns
            let disagreements: UInt64
        }

        private var rows: RecordSorter
        private var announced: RecordSorter
        private var disagreements: UInt64 = 0

        init(rows: RecordSorter, announced: RecordSorter) {
            self.rows = rows
            self.announced = announced
        }

        mutating func add(_ unit: UnitTransitions, _ snapshot: FactSnapshot) throws {
            for row in unit.rows {
                // A row that time causes is known once every event recorded by its instant is.
                let position = try row.position ?? snapshot.lastPosition(recordedBy: row.recordedAt) ?? 0
                let stored = StoredTransition(row, position: position).bytes
                try rows.append {
                    row.appendOrder(to: &$0)
                } body: {
                    $0 += stored
                }
            }
            for subscription in unit.announced.values {
                try announced.append {
                    $0 += subscription.hash
                } body: {
                    $0 += subscription.bytes
                }
                disagreements += UInt64(subscription.disagreements)
            }
        }

        mutating func finished() -> Finished {
            Finished(rows: rows.finish(), announced: announced.finish(), disagreements: disagreements)
        }
    }
}
