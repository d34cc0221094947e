package import LedgerModel
package import PaidService
package import Primitives

/// The shares of a unit's sales that Apple pays out.
package struct ProceedsRates: Sendable {
    private let paidDays: PaidDays
    private let isHistoryIncomplete: Bool
    private let rules: Rules.Revenue

    package init(_ unit: PurchaseUnit, _ rules: Rules.Revenue) {
        paidDays = PaidDays(unit, rules)
        isHistoryIncomplete = unit.isHistoryIncomplete
        self.rules = rules
    }

    /// Returns the share of a sale in hundredths of a percent; nil when earlier paid service may be missing. A refund or
    /// a credit has the share of its sale.
    package func rate(ofSaleAt start: Instant) -> Int? {
        if rules.smallBusiness.contains(where: { $0.contains(start) }) { return rules.higherRate }
        if isHistoryIncomplete { return nil }
        return paidDays.count(at: start) >= rules.higherAfterPaidDays ? rules.higherRate : rules.standardRate
    }

    /// Returns whether a sale at an instant would have the higher share; nil when that is not known.
    func isHigher(at t: Instant) -> Bool? { rate(ofSaleAt: t).map { $0 == rules.higherRate } }

    /// Returns the days of paid service before an instant; nil when earlier ones may be missing.
    package func paidDays(at t: Instant) -> Int64? { isHistoryIncomplete ? nil : paidDays.count(at: t) }

    /// Returns what Apple pays out of a movement before taxes are deducted; nil if the amount or the share is not known.
    package func proceeds(of charge: Charge) -> Int64? {
        guard let amount = charge.amount, let rate = rate(ofSaleAt: charge.saleAt) else { return nil }
        return amount.scaled(by: Fraction(rate, over: 10_000))
    }
}
