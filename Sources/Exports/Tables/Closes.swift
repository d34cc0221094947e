import Differences
import LedgerModel
import Primitives
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// The numbers of closes, other than 0. The name of a cell is a JSON text of its table, labels and field.
    static let closes = ExportTable(
        TableSchema(
            name: "closes", version: 1, keyCount: 3,
            columns: [
                .text("name"), TableColumn("version", .int32), TableColumn("cell", .json),
                TableColumn("position", .int64), .text("environment"), .nullable("bundle_id"), .instant("as_of_at"),
                TableColumn("rules_digest", .hex), .text("definition"), .text("mrr_definition"), .text("zone"),
                .nullable("reporting_currency"), .nullable("amount", .money), .nullable("count", .int64),
                .nullable("currency"),
            ]),
        .ownEvents { events, rows in
            for closed in events.closes {
                for (cell, value) in closed.numbers {
                    rows.add { $0.append(cell, value, of: closed) }
                }
            }
        })
}

extension TableRow {
    fileprivate mutating func append(_ cell: NumberCell, _ value: Int64, of closed: ExportedOwnEvents.Close) {
        let (terms, currency) = (closed.close.terms, cell.currency)
        append(text: terms.name)
        append(integer: Int64(closed.version))
        append(json: cell.name.canonical())
        append(position: closed.close.position)
        append(text: terms.environment)
        append(text: terms.bundleId)
        append(instant: terms.asOf)
        append(hex: terms.rules)
        append(text: terms.definition)
        append(text: terms.mrr)
        append(text: terms.zone)
        append(text: terms.currency)
        append(milliunits: currency == nil ? nil : value)
        append(integer: currency == nil ? value : nil)
        append(text: currency)
    }
}

extension NumberCell {
    fileprivate var name: JSONValue {
        .object([
            "cell": .object(labels.map { JSONValue.Member($0.name, .string($0.value)) }),
            "currency": JSONValue(currency), "field": .string(field), "table": .string(table.rawValue),
        ])
    }
}
