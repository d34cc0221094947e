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

    private let calendar: BucketCalendar
    /// The table of each booking without a movement.
    private let empty: [RevenueTable]
    private var tables: [AppScope: [RevenueTable]] = [:]

    init(_ question: ExportQuestion) {
        let rules = question.context.rules
        let calendar = BucketCalendar(.day, in: question.zone, weekStartsOn: rules.retention.weekStartsOn)
        self.calendar = calendar
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

    func forEachPart(_ body: (SumPart) throws -> Void) rethrows {
        for (app, tables) in tables {
            for (booking, table) in zip(Self.bookings, tables) {
                for (key, row) in table.rows {
                    let named = [key.bucket.name, key.currency?.text] + key.cut
                    let elements = [.string(booking.rawValue)] + app.elements + named.map { JSONValue($0) }
                    try body(SumPart(elements, row.numbers))
                }
            }
        }
    }

    mutating func add(_ part: SumPart) -> Bool {
        guard var key = SumKeyReader(part.key), let booking = key.text().flatMap(RevenueTable.Booking.init),
            let app = key.scope(), let bucket = key.text().flatMap({ calendar.bucket(named: $0) }),
            let currency = key.optionalText(), let cut = key.optionalTexts(PurchaseCut.ofTables.count), key.isAtEnd,
            let row = RevenueTable.Row(numbers: part.numbers), let index = Self.bookings.firstIndex(of: booking)
        else { return false }
        let named = RevenueTable.Key(bucket, currency.map { Symbol($0) }, cut: cut)
        tables[app, default: empty][index].add(row, to: named)
        return true
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
