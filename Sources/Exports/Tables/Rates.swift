import LedgerModel
import Primitives
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// The exchange rates, as they were applied.
    static let rates = ExportTable(
        TableSchema(
            name: "rates", version: 1, keyCount: 4,
            columns: [
                TableColumn("position", .int64), TableColumn("day", .date), .text("currency"),
                .text("reporting_currency"), .nullable("rate", .rate),
            ]),
        .ownEvents { events, rows in
            for change in events.rates {
                for rate in change.rates.rates {
                    rows.add { row in
                        row.append(position: change.position)
                        row.append(daysSinceEpoch: rate.day.daysSinceEpoch)
                        row.append(text: rate.currency.text)
                        row.append(text: change.rates.currency.text)
                        // A rate that no column holds becomes null, and is counted.
                        row.append(nanounits: Int64(1_000_000_000).scaled(by: rate.rate.factor) ?? .max)
                    }
                }
            }
        })
}
