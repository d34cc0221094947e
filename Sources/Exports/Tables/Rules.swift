import LedgerModel
import Primitives
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// The activations of rules.
    static let rules = ExportTable(
        TableSchema(
            name: "rules", version: 1, keyCount: 1,
            columns: [
                TableColumn("position", .int64), TableColumn("digest", .hex), .instant("activated_at"), .nullable("by"),
                TableColumn("rules", .json),
            ]),
        .ownEvents { events, rows in
            for activation in events.activations {
                rows.add { row in
                    row.append(position: activation.position)
                    row.append(hex: activation.digest)
                    row.append(instant: activation.recordedAt)
                    // The name of a person.
                    row.appendNull()
                    row.append(json: activation.rules.json.canonical())
                }
            }
        })
}
