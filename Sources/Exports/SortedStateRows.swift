import ProjectionRuntime
import StateTables
import TableFiles

/// Sorts the rows of the state tables that one thread finds, by table and key.
final class StateRowSorter {
    private var sorter: RecordSorter

    init(_ sorter: RecordSorter) {
        self.sorter = sorter
    }

    /// - Throws: `disk_full`, `io_error`.
    func add(_ row: TableRow, of table: Int, _ reading: StateRows.Reading) throws {
        try sorter.append { key in
            key.append(UInt8(table))
            row.encodeKey(into: &key)
            key.append(reading.rawValue)
        } body: { body in
            row.encode(into: &body)
        }
    }

    func finish(lossy: [Int]) -> SortedStateRows { SortedStateRows(runs: sorter.finish(), lossy: lossy) }
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
