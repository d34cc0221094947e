import LedgerModel
import PaidService
import Primitives
import Revenue
import TableFiles

extension StateTable {
    /// The revenue of each day, booked by movement and by sale.
    static let revenue = StateTable(
        TableSchema(
            name: "revenue", version: 1, keyCount: 9,
            columns: [
                .text("booking"), .text("environment"), .text("bundle_id"), TableColumn("day", .date),
                .text("currency"), .text("product_id"), .text("subscription_group"), .text("storefront"),
                .text("offer"), TableColumn("charges", .int64), .nullable("gross", .money),
                .nullable("refunds", .money), .nullable("reversals", .money), .nullable("upgrade_credits", .money),
                .nullable("net", .money), .nullable("proceeds_before_tax", .money),
                TableColumn("unknown_price", .int64), TableColumn("unknown_rate", .int64),
            ]),
        .sums { RevenueSum($0) })
}

/// The revenue of each app.
private struct RevenueSum: TableSum {
    private static let bookings = RevenueTable.Booking.allCases

    /// The table of each booking without a movement.
    private let empty: [RevenueTable]
    private var tables: [AppScope: [RevenueTable]] = [:]

    init(_ question: ExportQuestion) {
        let rules = question.context.rules
        let calendar = BucketCalendar(.day, in: question.zone, weekStartsOn: rules.retention.weekStartsOn)
        empty = Self.bookings.map {
            RevenueTable(
                calendar, cuts: PurchaseCut.ofTables, booking: $0, rules: rules.revenue, in: question.reporting)
        }
    }

    mutating func add(_ unit: ExportUnit) {
        for purchases in unit.purchaseUnits {
            let app = AppScope(purchases.id.lineage)
            for index in Self.bookings.indices { tables[app, default: empty][index].add(purchases) }
        }
    }

    mutating func merge(_ other: Self) {
        for (app, others) in other.tables {
            for (index, table) in others.enumerated() { tables[app, default: empty][index].merge(table) }
        }
    }

    func addRows(to rows: StateRows) throws {
        for (app, tables) in tables {
            for (booking, table) in zip(Self.bookings, tables) {
                for (key, row) in table.rows {
                    try rows.add { $0.append(row, key, booking, app) }
                }
            }
        }
    }
}

extension TableRow {
    fileprivate mutating func append(
        _ sums: RevenueTable.Row, _ key: RevenueTable.Key, _ booking: RevenueTable.Booking, _ app: AppScope
    ) {
        append(text: booking.rawValue)
        append(text: app.environment)
        append(text: app.bundleId)
        append(daysSinceEpoch: key.bucket.firstDay)
        append(text: key.currency?.text ?? TableWord.unknown)
        append(cut: key.cut)
        append(integer: Int64(sums.charges))
        append(milliunits: sums.gross)
        append(milliunits: sums.refunds)
        append(milliunits: sums.reversals)
        append(milliunits: sums.upgradeCredits)
        append(milliunits: sums.net)
        append(milliunits: sums.proceedsBeforeTax)
        append(integer: Int64(sums.unknownPrice))
        append(integer: Int64(sums.unknownRate))
    }
}
