import LedgerModel
import Primitives
import SubscriptionStatus
import TableFiles

extension StateTable {
    /// The changes of each subscription, with the time for which each state held. Later events restate it.
    static let history = StateTable(
        .ofSubscriptions(
            "history", version: 1, keyCount: 5,
            [
                .instant("changed_at"), TableColumn("ordinal", .int32), .nullable("valid_until", .instant),
                TableColumn("change", .json), .text("cause"), .text("status"), .text("access"), .text("reason"),
                .text("product_id"), .nullable("transaction_id"), .nullable("will_renew", .boolean),
                .nullable("pending_product_id"), .nullable("expires_at", .instant), .nullable("recorded_at", .instant),
            ]),
        .units { unit, rows in
            for history in unit.lineages.histories(until: unit.asOf, rules: unit.context.rules) {
                try rows.add(history)
            }
        })
}

extension StateRows {
    fileprivate func add(_ history: SubscriptionHistory) throws {
        var ordinal: Int64 = 0
        for (index, transition) in history.transitions.enumerated() {
            let (before, after) = (
                history.transitions[..<index].last?.at, history.transitions[(index + 1)...].first?.at
            )
            ordinal = before == transition.at ? ordinal + 1 : 0
            try add { row in
                row.append(key: history.key)
                row.append(instant: transition.at)
                row.append(integer: ordinal)
                row.append(instant: after)
                row.append(json: JSONValue.array(transition.change.map { .string($0.rawValue) }).canonical())
                row.append(text: transition.cause.name)
                row.append(transition.to)
                row.append(instant: transition.recordedAt)
                row.append(evidence: transition.evidence)
            }
        }
    }
}

extension TableRow {
    fileprivate mutating func append(_ state: SubscriptionState) {
        append(text: state.status.rawValue)
        append(text: state.access.rawValue)
        append(text: state.reason.rawValue)
        append(text: state.productId?.text ?? TableWord.unknown)
        append(text: state.transactionId)
        append(boolean: state.willRenew)
        append(text: state.pendingProductId)
        append(instant: state.expiresAt)
    }
}
