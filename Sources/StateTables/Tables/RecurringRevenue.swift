import LedgerModel
import PaidService
import Primitives
import Revenue
import TableFiles

extension StateTable {
    /// The recurring revenue from month to month under every definition. `closing` is `opening` plus all changes.
    static let recurringRevenue = StateTable(
        TableSchema(
            name: "mrr", version: 1, keyCount: 9,
            columns: [
                .text("definition"), .text("environment"), .text("bundle_id"), TableColumn("month", .date),
                .text("currency"), .text("product_id"), .text("subscription_group"), .text("storefront"),
                .text("offer"), .nullable("opening", .money), .nullable("new", .money), .nullable("recovered", .money),
                .nullable("reactivated", .money), .nullable("expansion", .money), .nullable("contraction", .money),
                .nullable("churned", .money), .nullable("moved", .money), .nullable("closing", .money),
                TableColumn("unknown", .int64), TableColumn("complete", .boolean),
            ]),
        .sums { RecurringRevenueSum($0) })
}

/// The recurring revenue of each app, one series for each definition.
private struct RecurringRevenueSum: TableSum {
    private static let definitions = Rules.Revenue.RecurringRevenue.allCases

    private let catalogs: [Symbol: CatalogHistory]
    private let calendar: BucketCalendar
    private let empty: [RevenueSeries]
    private var series: [AppScope: [RevenueSeries]] = [:]

    init(_ question: ExportQuestion) {
        let context = question.context
        let calendar = BucketCalendar(.month, in: question.zone, weekStartsOn: context.rules.retention.weekStartsOn)
        (catalogs, self.calendar) = (context.catalogs, calendar)
        empty = Self.definitions.map { definition in
            var rules = context.rules
            rules.revenue.mrr = definition
            return RevenueSeries(
                calendar, rules: rules, asOf: question.asOf, in: question.reporting, by: PurchaseCut.ofTables)
        }
    }

    mutating func add(_ unit: ExportUnit) {
        guard let key = unit.timelines.keys.first else { return }
        for index in empty.indices {
            series[AppScope(key), default: empty][index].add(unit.lineages, catalogs: catalogs)
        }
    }

    mutating func merge(_ other: Self) {
        for (app, others) in other.series {
            for (index, part) in others.enumerated() { series[app, default: empty][index].merge(part) }
        }
    }

    /// The amounts of a currency have a part of their own, and so does the change of what is not known.
    func forEachPart(_ body: (SumPart) throws -> Void) rethrows {
        for (app, series) in series {
            for (definition, part) in zip(Self.definitions, series) {
                try part.forEachPart { bucket, cell, movement in
                    let key =
                        [.string(definition.rawValue)] + app.elements + ([bucket.name] + cell).map { JSONValue($0) }
                    for currency in movement.currencies {
                        let amounts = RevenueMovement.Kind.allCases.map { movement.changes[$0]?[currency] ?? 0 }
                        try body(SumPart(key + [JSONValue(currency?.text)], amounts))
                    }
                    if movement.unknownChange != 0 { try body(SumPart(key, [Int64(movement.unknownChange)])) }
                }
            }
        }
    }

    mutating func add(_ part: SumPart) -> Bool {
        guard var key = SumKeyReader(part.key),
            let definition = key.text().flatMap(Rules.Revenue.RecurringRevenue.init),
            let index = Self.definitions.firstIndex(of: definition), let app = key.scope(),
            let bucket = key.text().flatMap({ calendar.bucket(named: $0) }),
            let cell = key.optionalTexts(PurchaseCut.ofTables.count), let movement = RevenueMovement(&key, part.numbers)
        else { return false }
        series[app, default: empty][index].add(movement, to: cell, in: bucket)
        return true
    }

    func addRows(to rows: StateRows) throws {
        for (app, series) in series {
            for (definition, part) in zip(Self.definitions, series) {
                for row in part.rows where !row.isEmpty {
                    try rows.add { $0.append(row, definition, app) }
                }
            }
        }
    }
}

extension RevenueMovement {
    /// - Parameter key: the currency of the amounts of each kind, or nothing for the change of what is not known.
    fileprivate init?(_ key: inout SumKeyReader, _ numbers: [Int64]) {
        if key.isAtEnd {
            guard numbers.count == 1, let change = Int32(exactly: numbers[0]) else { return nil }
            self.init(unknownChange: Int(change))
        } else {
            guard let currency = key.optionalText(), key.isAtEnd, numbers.count == Kind.allCases.count else {
                return nil
            }
            self.init(
                Dictionary(uniqueKeysWithValues: zip(Kind.allCases, numbers)), in: currency.map { Symbol($0) })
        }
    }
}

extension RevenueSeries.Row {
    /// Whether nothing recurs and nothing changes.
    fileprivate var isEmpty: Bool { opening == 0 && closing == 0 && unknownPrice == 0 && changes.isEmpty }
}

extension TableRow {
    fileprivate mutating func append(
        _ row: RevenueSeries.Row, _ definition: Rules.Revenue.RecurringRevenue, _ app: AppScope
    ) {
        append(text: definition.rawValue)
        append(text: app.environment)
        append(text: app.bundleId)
        append(daysSinceEpoch: row.bucket.firstDay)
        append(text: row.currency?.text ?? TableWord.unknown)
        append(cut: row.cell)
        append(milliunits: row.opening)
        for kind in RevenueMovement.Kind.allCases { append(milliunits: row.changes[kind] ?? 0) }
        append(milliunits: row.closing)
        append(integer: Int64(row.unknownPrice))
        append(boolean: row.isComplete)
    }
}
