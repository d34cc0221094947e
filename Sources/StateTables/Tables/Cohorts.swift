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

    /// The counts of a cell, and each amount of it, have a part of their own.
    func forEachPart(_ body: (SumPart) throws -> Void) rethrows {
        for (app, matrices) in matrices {
            for (question, matrix) in zip(questions, matrices) {
                let prefix = [.string(question.rules.definition.rawValue)] + app.elements
                try matrix.forEachPart { cohort, place, cell in
                    let key = prefix + cohort.elements + place.elements
                    let counts = [cell.eligible, cell.retained, cell.pending, cell.net.unknownCount]
                    try body(SumPart(key, counts.map { Int64($0) }))
                    for entry in cell.net.entries {
                        try body(SumPart(key + [JSONValue(entry.currency?.text)], [entry.amount]))
                    }
                }
            }
        }
    }

    mutating func add(_ part: SumPart) -> Bool {
        guard var key = SumKeyReader(part.key), let definition = key.text(), let app = key.scope(),
            let index = questions.firstIndex(where: { $0.rules.definition.rawValue == definition }),
            let cohort = CohortKey(&key, questions[index]), let place = CohortPlace(&key)
        else { return false }
        var cell: CohortCell?
        if key.isAtEnd {
            cell = CohortCell(counts: part.numbers)
        } else if let currency = key.optionalText(), key.isAtEnd, part.numbers.count == 1 {
            var net = Amounts()
            net.add(part.numbers[0], currency.map { Symbol($0) })
            cell = CohortCell(eligible: 0, net: net)
        }
        return cell.map { matrices[app, default: empty][index].add($0, at: place, of: cohort) } ?? false
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
    func forEachPart(_ body: (SumPart) throws -> Void) rethrows { try matrices.forEachPart(body) }
    mutating func add(_ part: SumPart) -> Bool { matrices.add(part) }

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

extension CohortKey {
    fileprivate var elements: [JSONValue] {
        [JSONValue(bucket?.name), JSONValue(duration?.description)] + cut.map { JSONValue($0) }
    }

    fileprivate init?(_ key: inout SumKeyReader, _ question: RetentionQuestion) {
        guard let cohort = key.optionalText(), let length = key.optionalText(),
            let cut = key.optionalTexts(question.cuts.count)
        else { return nil }
        let (bucket, duration) = (
            cohort.flatMap { question.calendar.bucket(named: $0) }, length.flatMap { CalendarPeriod($0) }
        )
        guard (bucket == nil) == (cohort == nil), (duration == nil) == (length == nil) else { return nil }
        self.init(bucket, duration, cut: cut)
    }
}

extension CohortPlace {
    fileprivate var elements: [JSONValue] {
        switch self {
        case .members: [.string("members"), .integer(0)]
        case .reached(let k): [.string("reached"), .integer(Int64(k))]
        case .gone(let k): [.string("gone"), .integer(Int64(k))]
        }
    }

    fileprivate init?(_ key: inout SumKeyReader) {
        guard let name = key.text(), let k = key.integer() else { return nil }
        switch name {
        case "members": self = .members
        case "reached": self = .reached(k)
        case "gone": self = .gone(k)
        default: return nil
        }
    }
}

extension CohortCell {
    /// More members than there are people would not add up in 64 bits.
    private static let countLimit: Int64 = 1 << 40

    /// - Parameter counts: eligible, retained, pending, and the amounts that are not known.
    fileprivate init?(counts: [Int64]) {
        guard counts.count == 4, counts.allSatisfy((0...Self.countLimit).contains) else { return nil }
        var net = Amounts()
        net.addUnknown(Int(counts[3]))
        self.init(eligible: Int(counts[0]), retained: Int(counts[1]), pending: Int(counts[2]), net: net)
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
