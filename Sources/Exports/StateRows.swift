import ProjectionRuntime
import TableFiles

/// The rows of the state tables that one thread finds, sorted by table and key.
final class StateRows {
    /// The reading of the ledger that a row belongs to.
    enum Reading: UInt8 {
        /// The reading of the base: rows that were exported before.
        case base
        /// The instant and the rules of the base, as far as the events of now show them.
        case restated
        case current
    }

    private var sorter: RecordSorter
    private var rows: [TableRow]
    private var table = 0
    private var reading = Reading.current
    /// The number of values that were replaced, by table, in the current reading.
    private(set) var lossy: [Int]

    init(_ tables: [ExportTable], sorter: RecordSorter) {
        self.sorter = sorter
        rows = tables.map { TableRow($0.schema) }
        lossy = tables.map { _ in 0 }
    }

    /// Calls `body`, which adds the rows of a table.
    func collect(_ table: Int, _ reading: Reading, _ body: (StateRows) throws -> Void) rethrows {
        (self.table, self.reading) = (table, reading)
        try body(self)
    }

    /// Adds a row.
    /// - Parameter fill: appends the cells.
    /// - Throws: `disk_full`, `io_error`; the errors of `fill`.
    func add(_ fill: (inout TableRow) throws -> Void) throws {
        rows[table].removeAll()
        try fill(&rows[table])
        precondition(rows[table].isComplete, "a row lacks cells")
        if reading == .current { lossy[table] += rows[table].lossy }
        try sorter.append { [rows] key in
            key.append(UInt8(table))
            rows[table].encodeKey(into: &key)
            key.append(reading.rawValue)
        } body: { [rows] body in
            rows[table].encode(into: &body)
        }
    }

    func finish() -> SortedStateRows { SortedStateRows(runs: sorter.finish(), lossy: lossy) }
}

/// The sorted rows of one thread.
struct SortedStateRows: Sendable {
    let runs: SortedRuns
    let lossy: [Int]
}

/// A key of a table with its rows in each reading, in stored form.
struct StateGroup {
    let table: Int
    let key: ArraySlice<UInt8>
    var base: ArraySlice<UInt8>?
    var restated: ArraySlice<UInt8>?
    var current: ArraySlice<UInt8>?

    fileprivate init(_ record: StoredRecord) {
        table = Int(record.key.first ?? 0)
        key = record.key.dropFirst().dropLast()
    }

    fileprivate mutating func add(_ record: StoredRecord) {
        switch record.key.last.flatMap(StateRows.Reading.init) {
        case .base: base = record.body
        case .restated: restated = record.body
        case .current, nil: current = record.body
        }
    }

    fileprivate func contains(_ record: StoredRecord) -> Bool { record.key.dropFirst().dropLast() == key }
}

extension [SortedStateRows] {
    /// Calls `body` with the groups of all threads, ordered by table and key.
    func forEachGroup(_ body: (StateGroup) throws -> Void) throws {
        var group: StateGroup?
        try SortedRuns.merge(map(\.runs)) { record in
            if let open = group, open.table != Int(record.key.first ?? 0) || !open.contains(record) {
                try body(open)
                group = nil
            }
            if group == nil { group = StateGroup(record) }
            group?.add(record)
        }
        if let group { try body(group) }
    }
}
