import AppStoreModel
import Churn
import LedgerModel
import PaidService
import Primitives
import Revenue
import SubscriptionStatus
import TableFiles

extension StateTable {
    private static let unitKey: [TableColumn] = [
        .text("environment"), .text("bundle_id"), TableColumn("unit_id", .hex),
    ]
    private static let evidence = [TableColumn("evidence", .json), .nullable("last_position", .int64)]

    /// The situation of each subscriber: about to leave, in billing retry, gone or back.
    static let churn = StateTable(
        TableSchema(
            name: "churn", version: 1, keyCount: unitKey.count,
            columns: unitKey + [
                .text("original_transaction_id"), .text("product_id"), .text("class"),
                .nullable("about_to_churn_since", .instant), .nullable("in_retry_day", .int32),
                .nullable("ended_at", .instant), .nullable("churned_at", .instant),
                .nullable("recovered_at", .instant), .nullable("reactivated_at", .instant),
                .nullable("paid_days", .int32), .nullable("accrual_lost_at", .instant),
                TableColumn("win_back_offer_ids", .json),
            ] + evidence),
        .units { unit, rows in
            for purchases in unit.purchaseUnits {
                let situation = ChurnSituation(of: purchases, unit.context.rules)
                try rows.add { $0.append(situation) }
            }
        })

    /// Each time that a paying subscriber left.
    static let departures = StateTable(
        TableSchema(
            name: "departures", version: 1, keyCount: unitKey.count + 1,
            columns: unitKey + [
                TableColumn("departure_no", .int32), .text("original_transaction_id"), .text("product_id"),
                .text("class"), .instant("ended_at"), .instant("churned_at"), .nullable("reactivated_at", .instant),
            ] + evidence),
        .units { unit, rows in
            for purchases in unit.purchaseUnits {
                for (index, row) in purchases.rows(in: .churned, unit.context.rules).enumerated() {
                    try rows.add { $0.append(departure: row, index + 1, of: purchases) }
                }
            }
        })

    /// Each failed renewal, and what became of it.
    static let retries = StateTable(
        TableSchema(
            name: "retries", version: 1, keyCount: unitKey.count + 1,
            columns: unitKey + [
                TableColumn("retry_no", .int32), .text("original_transaction_id"), .text("product_id"),
                .instant("failed_at"), .text("outcome"), .nullable("ended_at", .instant),
                TableColumn("retry_day", .int32),
            ] + evidence),
        .units { unit, rows in
            for purchases in unit.purchaseUnits {
                for (index, episode) in purchases.retryEpisodes(unit.context.rules.churn).enumerated() {
                    try rows.add { $0.append(episode, index + 1, of: purchases) }
                }
            }
        })
}

/// The rows of a unit in the segments of churn.
private struct ChurnSituation {
    let unit: PurchaseUnit
    let aboutToChurn: SegmentRow?
    let inRetry: SegmentRow?
    let recovered: SegmentRow?
    /// The newest departure.
    let departure: SegmentRow?
    let winBack: SegmentRow?
    /// Nil if earlier ones may be missing.
    let paidDays: Int64?

    init(of unit: PurchaseUnit, _ rules: Rules) {
        self.unit = unit
        aboutToChurn = unit.rows(in: .aboutToChurn, rules).last
        inRetry = unit.rows(in: .inRetry, rules).last
        recovered = unit.rows(in: .recovered, rules).last
        departure = unit.rows(in: .churned, rules).last
        winBack = unit.rows(in: .winBack, rules).last
        paidDays = unit.isHistoryIncomplete ? nil : PaidDays(unit, rules.revenue).count(at: unit.asOf)
    }

    /// The row that names the subscription: that of the newest situation, else the newest purchase.
    private var named: SegmentRow? { inRetry ?? aboutToChurn ?? departure ?? recovered }

    var key: SubscriptionKey { named?.key ?? unit.purchases[unit.purchases.count - 1].key }

    var productId: Symbol? { named == nil ? unit.purchases.last?.productId : named?.productId }

    var evidence: [Position] {
        let rows = [aboutToChurn, inRetry, recovered, departure].compactMap(\.self)
        guard !rows.isEmpty else { return unit.purchases.last.map { [$0.position] } ?? [] }
        return Set(rows.flatMap(\.evidence)).sorted()
    }
}

extension TableRow {
    /// Appends the key of a unit, the subscription and the product.
    private mutating func append(
        _ unit: PurchaseUnit, number: Int?, _ key: SubscriptionKey, _ productId: Symbol?
    ) {
        append(text: key.environment.rawValue)
        append(text: key.bundleId)
        append(hex: UnitID.bytes(of: unit))
        if let number { append(integer: Int64(number)) }
        append(text: key.originalTransactionId)
        append(text: productId?.text ?? TableWord.unknown)
    }

    fileprivate mutating func append(_ situation: ChurnSituation) {
        append(situation.unit, number: nil, situation.key, situation.productId)
        append(text: situation.departure?.churnClass?.rawValue ?? TableWord.none)
        append(instant: situation.aboutToChurn?.since)
        append(integer: situation.inRetry?.retryDay.map(Int64.init))
        append(instant: situation.departure?.endedAt)
        append(instant: situation.departure?.churnedAt)
        append(instant: situation.recovered?.recoveredAt)
        append(instant: situation.departure?.reactivatedAt)
        append(integer: situation.paidDays)
        append(instant: situation.winBack?.accrualLostAt)
        append(texts: situation.winBack?.offerIds ?? [])
        append(evidence: situation.evidence)
    }

    fileprivate mutating func append(departure row: SegmentRow, _ number: Int, of unit: PurchaseUnit) {
        append(unit, number: number, row.key, row.productId)
        append(text: row.churnClass?.rawValue ?? TableWord.unknown)
        append(instant: row.endedAt)
        append(instant: row.churnedAt)
        append(instant: row.reactivatedAt)
        append(evidence: row.evidence)
    }

    fileprivate mutating func append(_ episode: RetryEpisode, _ number: Int, of unit: PurchaseUnit) {
        let purchase = episode.purchase
        append(unit, number: number, purchase.key, purchase.productId)
        append(instant: episode.failedAt)
        append(text: episode.outcome.name)
        append(instant: episode.endedAt)
        append(integer: Int64(episode.day))
        append(evidence: Set([purchase.position] + purchase.ending.evidence).sorted())
    }
}

extension RetryEpisode.Outcome {
    fileprivate var name: String {
        switch self {
        case .recovered: "recovered"
        case .boughtAgain: "boughtAgain"
        case .lost: "lost"
        case .open: "open"
        }
    }
}
