package import TableFiles

/// The place that takes the rows of state tables as they are found.
package final class StateRows {
    /// The reading of the ledger that a row belongs to.
    package enum Reading: UInt8, Sendable {
        /// The reading of the base: rows that were exported before.
        case base
        /// The instant and the rules of the base, as far as the events of now show them.
        case restated
        case current
    }

    private let take: (_ table: Int, Reading, TableRow) throws -> Void
    private var rows: [TableRow]
    private var table = 0
    private var reading = Reading.current
    /// The number of values that were replaced, by table, in the current reading.
    package private(set) var lossy: [Int]

    /// - Parameter take: called with each row, and the number of its table.
    package init(_ tables: [StateTable], _ take: @escaping (_ table: Int, Reading, TableRow) throws -> Void) {
        self.take = take
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
    /// - Throws: the errors of `take` and of `fill`.
    func add(_ fill: (inout TableRow) throws -> Void) throws {
        rows[table].removeAll()
        try fill(&rows[table])
        precondition(rows[table].isComplete, "a row lacks cells")
        if reading == .current { lossy[table] += rows[table].lossy }
        try take(table, reading, rows[table])
    }
}
