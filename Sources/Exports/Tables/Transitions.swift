import LedgerModel
import Primitives
import StateTables
import SubscriptionLedger
import TableFiles

extension ExportTable {
    /// The feed of transitions: the answers that the ledger gave, in the order in which it gave them.
    static let transitions = ExportTable(
        TableSchema(
            name: "transitions", version: 1, keyCount: 1,
            columns: [
                TableColumn("sequence", .int64), .instant("recorded_at"), .instant("effective_at"), .text("mode"),
                TableColumn("change", .json), .text("cause"), .nullable("position", .int64), .text("environment"),
                .text("bundle_id"), .text("original_transaction_id"), TableColumn("customer_handles", .json),
                .nullable("before", .json), .nullable("after", .json),
            ]),
        .transitions { transition, row in
            row.append(integer: Int64(clamping: transition.sequence))
            row.append(instant: transition.recordedAt)
            row.append(instant: transition.effectiveAt)
            row.append(text: transition.mode)
            row.append(texts: transition.change)
            row.append(text: transition.cause)
            row.append(integer: transition.position.map { Int64(clamping: $0) })
            row.append(key: transition.key)
            row.append(texts: transition.customers.map(\.hex))
            row.append(json: transition.before)
            row.append(json: transition.after)
        })
}

extension Position {
    /// Whether the rows that rest on this many events, recorded up to an instant, contain a row.
    func hasRow(_ transition: ExportedTransition, through time: Instant) -> Bool {
        transition.newestPosition < self && transition.recordedAt <= time
    }
}
