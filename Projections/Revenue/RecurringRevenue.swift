import AppStoreModel
package import LedgerModel
package import PaidService
import Primitives

extension PurchaseUnit {
    /// The recurring revenue of a month at the instant of the unit, whether or not auto-renew is off.
    ///
    /// Paid purchases count while they serve, and while Apple's grace period covers their failed renewal.
    /// - Parameter reporting: the currency of the amounts; nil for that of each sale.
    package func monthlyRevenue(
        _ definition: Rules.Revenue.RecurringRevenue, in reporting: ReportingCurrency? = nil
    ) -> Amounts {
        monthlyRevenue(definition, in: reporting, by: [])[[]] ?? Amounts()
    }

    /// The recurring revenue of a month, divided by properties of the purchases.
    func monthlyRevenue(
        _ definition: Rules.Revenue.RecurringRevenue, in reporting: ReportingCurrency?, by cuts: [PurchaseCut]
    ) -> [RevenueCell: Amounts] {
        var cells: [RevenueCell: Amounts] = [:]
        for purchase in purchases where purchase.recurs && purchase.payment != .free {
            let price = ConvertedPrice(purchase, reporting)
            let amount = purchase.payment == .paid ? purchase.shareOfMonth(definition).flatMap { price.part($0) } : nil
            cells[cuts.map { $0.value(of: purchase, in: self) }, default: Amounts()].add(amount, price.currency)
        }
        return cells
    }
}

extension SubscriptionPurchase {
    /// Whether the purchase serves at `asOf`, or a grace period after it covers `asOf`.
    fileprivate var recurs: Bool {
        if service?.contains(asOf) == true { return true }
        guard let failure, failure.next == nil, let until = failure.graceUntil else { return false }
        return failure.failedAt <= asOf && asOf < until
    }

    /// The part of the price that is for a month; nil if the time that the price is for is not known.
    fileprivate func shareOfMonth(_ definition: Rules.Revenue.RecurringRevenue) -> Fraction? {
        guard let period = chargedPeriod else { return nil }
        switch period.unit {
        case .day: return Fraction(365, over: 12 * period.count)
        case .week:
            switch definition {
            case .default: return Fraction(365, over: 84 * period.count)
            case .revenueCat: return Fraction(4, over: period.count)
            case .iapkit: return Fraction(4_345, over: 1_000 * period.count)
            }
        case .month: return Fraction(1, over: period.count)
        case .year: return Fraction(1, over: 12 * period.count)
        }
    }
}
