import LedgerModel
import PaidService
import Primitives
import Revenue
import SubscriptionStatus
import TableFiles

extension StateTable {
    /// The movements of money: sales, refunds, reversals and the credits of upgrades.
    static let charges = StateTable(
        .ofSubscriptions(
            "charges", version: 1, keyCount: 7,
            [
                .text("product_id"), .text("period_id"), .text("kind"), TableColumn("movement_no", .int32),
                TableColumn("unit_id", .hex), .instant("at"), .instant("sale_at"), .nullable("amount", .money),
                .nullable("currency"), .nullable("proceeds_rate", .int32), .nullable("proceeds", .money),
                .nullable("reporting_amount", .money), .nullable("rate_day", .date), .text("subscription_group"),
                .text("storefront"), .text("offer"), TableColumn("inferred", .boolean),
            ]),
        .units { unit, rows in
            for purchases in unit.purchaseUnits {
                let rates = ProceedsRates(purchases, unit.context.rules.revenue)
                for purchase in purchases.purchases {
                    try rows.add(purchase, of: purchases, rates, unit.question.reporting)
                }
            }
        })
}

extension StateRows {
    fileprivate func add(
        _ purchase: SubscriptionPurchase, of unit: PurchaseUnit, _ rates: ProceedsRates, _ reporting: ReportingCurrency?
    ) throws {
        let converted = reporting.map { purchase.charges(in: $0) }
        var refunds: Int64 = 0
        for (index, charge) in purchase.charges(in: nil).enumerated() {
            if charge.kind == .refund { refunds += 1 }
            let number = charge.kind == .refund || charge.kind == .reversal ? refunds : 0
            try add { row in
                row.append(key: purchase.key)
                row.append(text: purchase.productId?.text ?? TableWord.unknown)
                row.append(text: purchase.period.id(in: purchase.key))
                row.append(text: charge.kind.rawValue)
                row.append(integer: number)
                row.append(hex: UnitID.bytes(of: unit))
                row.append(instant: charge.at)
                row.append(instant: charge.saleAt)
                row.append(milliunits: charge.amount)
                row.append(text: charge.currency)
                row.append(integer: rates.rate(ofSaleAt: charge.saleAt).map(Int64.init))
                row.append(milliunits: rates.proceeds(of: charge))
                row.append(milliunits: converted?[index].amount)
                row.append(daysSinceEpoch: converted?[index].exchange?.rate?.day.daysSinceEpoch)
                row.append(text: unit.group?.text ?? TableWord.unknown)
                row.append(text: purchase.storefront?.text ?? TableWord.unknown)
                row.append(text: purchase.offer?.name ?? TableWord.none)
                row.append(boolean: charge.isInferred)
                row.append(evidence: purchase.evidence(of: charge, in: unit))
            }
        }
    }
}

extension SubscriptionPurchase {
    /// The positions of the movement and, for a credit, of the purchase that replaced this one.
    fileprivate func evidence(of charge: Charge, in unit: PurchaseUnit) -> [Position] {
        guard charge.kind == .upgradeCredit else { return [charge.position] }
        let successor = unit.purchases.first { $0.key == key && $0.start == replacedAt && $0.period != period }
        return Set([charge.position] + (successor.map { [$0.position] } ?? [])).sorted()
    }
}
