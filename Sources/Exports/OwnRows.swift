import TableFiles

/// The rows of one table of the ledger's own events. They are few.
final class OwnRows {
    private let schema: TableSchema
    private var rows: [TableRow] = []

    init(_ schema: TableSchema) {
        self.schema = schema
    }

    /// Adds a row.
    /// - Parameter fill: appends the cells.
    func add(_ fill: (inout TableRow) -> Void) {
        var row = TableRow(schema)
        fill(&row)
        precondition(row.isComplete, "a row lacks cells")
        rows.append(row)
    }

    /// The rows by key.
    var sorted: [TableRow] { rows.sorted { $0.isOrdered(before: $1) } }

    /// The number of values that were replaced.
    var lossy: Int64 { rows.reduce(0) { $0 + Int64($1.lossy) } }
}
