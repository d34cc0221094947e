import LedgerModel
import LedgerStorage
import ProjectionRuntime
import StateTables

/// The fold of all units into sorted rows of state tables, on several threads.
struct SortedStateFold: Sendable {
    private let tables: [StateTable]
    private let fold: StateFold

    /// The number of bytes of sums that are sorted in memory.
    private static let sumsLimit = 64 << 20

    /// - Parameter questions: the question of each reading.
    init(_ tables: [StateTable], _ questions: [StateRows.Reading: ExportQuestion]) {
        self.tables = tables
        fold = StateFold(tables, questions)
    }

    /// The rows and sums of one thread.
    struct Part {
        private let sorter: StateRowSorter
        private let rows: StateRows
        private var part: StateFold.Part

        fileprivate init(_ fold: SortedStateFold, _ sorter: RecordSorter) {
            (self.sorter, rows) = StateRows.sorted(by: sorter, fold.tables)
            part = fold.fold.part(rows)
        }

        mutating func add(_ facts: UnitFacts) throws { try part.add(facts) }

        func finish() -> FinishedPart { FinishedPart(rows: sorter.finish(lossy: rows.lossy), sums: part.sums) }
    }

    struct FinishedPart: Sendable {
        let rows: SortedStateRows
        let sums: [TableSums]
    }

    func part(_ sorter: RecordSorter) -> Part { Part(self, sorter) }

    /// Returns the rows of the sums of all threads.
    /// - Throws: `disk_full`, `io_error`.
    func rows(of parts: [[TableSums]], in folder: String) throws -> SortedStateRows {
        let (sorter, rows) = StateRows.sorted(
            by: RecordSorter(limit: Self.sumsLimit, pathPrefix: folder + "/sums", fileLimit: 16), tables)
        try fold.addRows(ofSums: parts, to: rows)
        return sorter.finish(lossy: rows.lossy)
    }
}

extension StateRows {
    /// Returns a sorter, and the place that passes rows to it.
    fileprivate static func sorted(
        by sorter: RecordSorter, _ tables: [StateTable]
    ) -> (StateRowSorter, StateRows) {
        let sorter = StateRowSorter(sorter)
        return (sorter, StateRows(tables) { table, reading, row in try sorter.add(row, of: table, reading) })
    }
}
