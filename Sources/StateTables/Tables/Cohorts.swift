import LedgerModel
import PaidService
import Primitives
import RetentionCohorts
import Revenue
import TableFiles

extension StateTable {
    private static let cellKey: [TableColumn] = [
        .text("definition"), .text("environment"), .text("bundle_id"), .text("by"), .text("cohort"), .text("duration"),
        .text("product_id"), .text("subscription_group"), .text("storefront"), .text("offer"),
        TableColumn("k", .int32),
    ]

    /// The cells of the retention matrix by month under every definition. The unknown cohort has the only cell -1.
    static let cohorts = StateTable(
        TableSchema(
            name: "cohorts", version: 1, keyCount: cellKey.count,
            columns: cellKey + [
                TableColumn("size", .int64), TableColumn("eligible", .int64), TableColumn("retained", .int64),
                TableColumn("pending", .int64), TableColumn("incomplete", .boolean),
            ]),
        .sums { CohortSum($0) })

    /// The net revenue of the members of each cell, by currency. Amounts that are not known are counted in the row of the
    /// currency `unknown`.
    static let cohortNet = StateTable(
        TableSchema(
            name: "cohort_net", version: 1, keyCount: cellKey.count + 1,
            columns: cellKey + [.text("currency"), .nullable("net", .money), TableColumn("unknown", .int64)]),
        .sums { CohortNetSum(matrices: CohortSum($0)) })
}

/// The retention matrices of each app, one for each definition.
private struct CohortSum: TableSum {
    struct Cell {
        let app: AppScope
        let definition: Rules.Retention.Definition
        let row: CohortRow
        /// -1 for the unknown cohort.
        let k: Int

        /// Nil for the unknown cohort, and for the first cell as long as nobody is eligible in it.
        var counts: CohortCell? { row.cells.indices.contains(k) ? row.cells[k] : nil }
    }

    private let questions: [RetentionQuestion]
    private let empty: [CohortMatrix]
    private var matrices: [AppScope: [CohortMatrix]] = [:]

    init(_ question: ExportQuestion) {
        questions = question.retention(cuts: PurchaseCut.ofTables)
        empty = questions.map { CohortMatrix($0) }
    }

    mutating func add(_ unit: ExportUnit) {
        for (index, question) in questions.enumerated() {
            for purchases in unit.purchaseUnits(by: question.scope) {
                matrices[AppScope(purchases.id.lineage), default: empty][index].add(purchases)
            }
        }
    }

    mutating func merge(_ other: Self) {
        for (app, others) in other.matrices {
            for (index, matrix) in others.enumerated() { matrices[app, default: empty][index].merge(matrix) }
        }
    }

    /// Calls `body` with every cell.
    func forEachCell(_ body: (Cell) throws -> Void) rethrows {
        for (app, matrices) in matrices {
            for (question, matrix) in zip(questions, matrices) {
                for row in matrix.rows {
                    for k in row.key.bucket == nil ? -1..<0 : 0..<max(1, row.cells.count) {
                        try body(Cell(app: app, definition: question.rules.definition, row: row, k: k))
                    }
                }
            }
        }
    }

    func addRows(to rows: StateRows) throws {
        try forEachCell { cell in
            let counts = cell.counts
            try rows.add { row in
                row.append(cell)
                row.append(integer: Int64(cell.row.size))
                row.append(integer: Int64(counts?.eligible ?? 0))
                row.append(integer: Int64(counts?.retained ?? 0))
                row.append(integer: Int64(counts?.pending ?? 0))
                row.append(boolean: counts?.isIncomplete ?? (cell.k >= 0))
            }
        }
    }
}

/// The amounts in the retention matrices.
private struct CohortNetSum: TableSum {
    var matrices: CohortSum

    mutating func add(_ unit: ExportUnit) { matrices.add(unit) }
    mutating func merge(_ other: Self) { matrices.merge(other.matrices) }

    func addRows(to rows: StateRows) throws {
        try matrices.forEachCell { cell in
            guard let net = cell.counts?.net else { return }
            var amounts = net.entries.map { ($0.currency, $0.amount) }
            if net.unknownCount > 0, !amounts.contains(where: { $0.0 == nil }) { amounts.append((nil, 0)) }
            for (currency, amount) in amounts {
                try rows.add { row in
                    row.append(cell)
                    row.append(text: currency?.text ?? TableWord.unknown)
                    row.append(milliunits: amount)
                    row.append(integer: currency == nil ? Int64(net.unknownCount) : 0)
                }
            }
        }
    }
}

extension TableRow {
    fileprivate mutating func append(_ cell: CohortSum.Cell) {
        let key = cell.row.key
        append(text: cell.definition.rawValue)
        append(text: cell.app.environment)
        append(text: cell.app.bundleId)
        append(text: "month")
        append(text: key.bucket?.name ?? TableWord.unknown)
        append(text: key.duration?.description ?? (key.bucket == nil ? TableWord.unknown : TableWord.all))
        append(cut: key.cut)
        append(integer: Int64(cell.k))
    }
}
