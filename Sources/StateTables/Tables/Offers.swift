import Churn
import LedgerModel
import PaidService
import Primitives
import SubscriptionStatus
import TableFiles

extension StateTable {
    /// The runs of purchases with one offer, free trials too, and what became of them.
    static let offers = StateTable(
        .ofSubscriptions(
            "offers", version: 1, keyCount: 5,
            [
                .text("product_id"), .text("period_id"), .text("offer"), .text("payment"), .instant("started_at"),
                .instant("ended_at"), TableColumn("periods", .int32), .text("outcome"),
                .nullable("converted_at", .instant), .nullable("class"), TableColumn("refunded", .boolean),
            ]),
        .units { unit, rows in
            for run in unit.purchaseUnits.flatMap(\.offerRuns) {
                try rows.add { $0.append(run) }
            }
        })
}

extension TableRow {
    fileprivate mutating func append(_ run: OfferRun) {
        append(key: run.first.key)
        append(text: run.first.productId?.text ?? TableWord.unknown)
        append(text: run.first.period.id(in: run.first.key))
        append(text: run.offer.name)
        append(text: run.payment.rawValue)
        append(instant: run.first.start)
        append(instant: run.last.end)
        append(integer: Int64(run.purchases.count))
        append(run.outcome)
        append(boolean: run.purchases.contains(where: \.isRefundedInFull))
        append(evidence: Set(run.purchases.map(\.position)).sorted())
    }

    private mutating func append(_ outcome: OfferRun.Outcome) {
        switch outcome {
        case .converted(let instant):
            append(text: "converted")
            append(instant: instant)
            appendNull()
        case .pending:
            append(text: "pending")
            appendNull()
            appendNull()
        case .notConverted(let churnClass):
            append(text: "notConverted")
            appendNull()
            append(text: churnClass.rawValue)
        }
    }
}

extension OfferRun {
    fileprivate var payment: Payment {
        isFree ? .free : purchases.contains(where: \.isPaid) ? .paid : .unknown
    }
}
