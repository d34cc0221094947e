import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime
import StateTables
import SubscriptionLedger
import TableFiles

/// The rows of the tables of observations that one thread finds: those whose first events are new.
final class ObservationRows {
    private let sorter: StateRowSorter
    private let reader: StatementReader
    /// The positions of each table whose observations have rows.
    private let ranges: [Range<Position>]
    private var rows: [TableRow]
    private var lossy: [Int]
    private var table = 0

    init(_ tables: [ExportTable], sorter: RecordSorter, _ reader: StatementReader, _ ranges: [Range<Position>]) {
        (self.sorter, self.reader, self.ranges) = (StateRowSorter(sorter), reader, ranges)
        rows = tables.map { TableRow($0.schema) }
        lossy = tables.map { _ in 0 }
    }

    /// Calls `body`, which adds the rows of a table.
    fileprivate func collect(_ table: Int, _ body: (ObservationRows) throws -> Void) rethrows {
        self.table = table
        try body(self)
    }

    /// Adds a row, unless an export before has it: an observation belongs to the first event that carries it.
    /// - Parameter fill: appends the cells after the trust.
    /// - Throws: `log_corrupt`, `disk_full`, `io_error`.
    func add(_ source: Source, _ fill: (inout TableRow, _ payload: JSONView?) throws -> Void) throws {
        guard ranges[table].contains(source.position) else { return }
        let statement = try reader.statement(source)
        rows[table].removeAll()
        rows[table].append(hex: source.name.digest)
        rows[table].append(text: source.name.path == .empty ? TableWord.none : source.name.path.text)
        rows[table].append(position: source.position)
        rows[table].append(instant: source.time)
        rows[table].append(integer: Int64(source.rank.rawValue))
        rows[table].append(text: statement.trust)
        try fill(&rows[table], statement.payload)
        lossy[table] += rows[table].lossy
        try sorter.add(rows[table], of: table, .current)
    }

    fileprivate func finish() -> SortedStateRows { sorter.finish(lossy: lossy) }
}

// MARK: Tables of observations

extension Exporter {
    /// Exports the observations whose first events the base does not have.
    func exportObservations(to folder: ExportFolder) throws -> [ExportManifest.Table] {
        let observed = tables.filter { if case .observations = $0.source { true } else { false } }
        guard !observed.isEmpty else { return [] }
        let outputs = try observed.map { try logOutput(of: $0, in: folder) }
        let scratch = try Folder.temporary()
        defer { try? scratch.remove() }
        let sorted = try observations(of: observed, outputs.map(\.1), in: scratch.path)
        for (index, output) in outputs.enumerated() {
            output.0.lossy = sorted.reduce(0) { $0 + Int64($1.lossy[index]) }
        }
        try sorted.forEachGroup { group in
            if let row = group.current { try outputs[group.table].0.add(row, .insert, isRestated: false) }
        }
        return try outputs.map { try $0.0.finish() }
    }

    private func observations(
        of tables: [ExportTable], _ ranges: [Range<Position>], in folder: String
    ) throws -> [SortedStateRows] {
        var options = RebuildOptions()
        options.report = request.report
        return try reader.fold(knownAt: plan.size, readsCustomers: false, in: folder, options) { [reader] sorter in
            ObservationRows(tables, sorter: sorter, reader.statementReader, ranges)
        } add: { rows, unit in
            for (key, timeline) in unit.timelines.sorted(by: { $0.key < $1.key }) where includes(key) {
                for (number, table) in tables.enumerated() {
                    guard case .observations(let fill) = table.source else { continue }
                    try rows.collect(number) { try fill(key, timeline, $0) }
                }
            }
        } finish: {
            $0.finish()
        }
    }
}
