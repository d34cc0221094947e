import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime
import SubscriptionLedger

/// The fold of all units into the rows of the state tables, in one or more readings of the same events.
struct StateFold: Sendable {
    private let tables: [ExportTable]
    private let readings: [(reading: StateRows.Reading, question: ExportQuestion)]
    /// The sums before the first unit, for each reading.
    private let sums: [TableSums]
    /// The places of the tables of sums.
    private let summed: [Int]

    /// The number of bytes of sums that are sorted in memory.
    private static let sumsLimit = 64 << 20

    /// - Throws: `ZoneUnknown`.
    init(
        _ tables: [ExportTable], _ context: AnalysisContext, _ readings: [StateRows.Reading: Instant],
        _ plan: ExportPlan
    ) throws {
        self.tables = tables
        self.readings = try readings.sorted { $0.key.rawValue < $1.key.rawValue }.map { reading, asOf in
            (reading, try ExportQuestion(plan, context, asOf: asOf))
        }
        summed = tables.indices.filter { if case .sums = tables[$0].source { true } else { false } }
        sums = try self.readings.map { _, question in
            TableSums(
                try tables.compactMap { table in
                    guard case .sums(let makeSum) = table.source else { return nil }
                    return try makeSum(question)
                })
        }
    }

    /// The rows and sums of one thread.
    struct Part {
        fileprivate let fold: StateFold
        fileprivate let rows: StateRows
        fileprivate var sums: [TableSums]

        mutating func add(_ facts: UnitFacts) throws {
            for (index, (reading, question)) in fold.readings.enumerated() {
                let unit = ExportUnit(facts, question)
                for (number, table) in fold.tables.enumerated() {
                    guard case .units(let fill) = table.source else { continue }
                    try rows.collect(number, reading) { try fill(unit, $0) }
                }
                sums[index].add(unit)
            }
        }

        func finish() -> FinishedPart { FinishedPart(rows: rows.finish(), sums: sums) }
    }

    struct FinishedPart: Sendable {
        let rows: SortedStateRows
        let sums: [TableSums]
    }

    func part(_ sorter: RecordSorter) -> Part { Part(fold: self, rows: StateRows(tables, sorter: sorter), sums: sums) }

    /// Returns the rows of the sums of all threads.
    /// - Throws: `disk_full`, `io_error`.
    func rows(of parts: [[TableSums]], in folder: String) throws -> SortedStateRows {
        let rows = StateRows(
            tables, sorter: RecordSorter(limit: Self.sumsLimit, pathPrefix: folder + "/sums", fileLimit: 16))
        for (index, (reading, _)) in readings.enumerated() {
            let total = parts.reduce(into: sums[index]) { $0.merge($1[index]) }
            for (number, table) in summed.enumerated() {
                try rows.collect(table, reading) { try total.addRows(of: number, to: $0) }
            }
        }
        return rows.finish()
    }
}
