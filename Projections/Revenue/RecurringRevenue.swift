import AppStoreModel
package import LedgerModel
package import PaidService
import Primitives

extension PurchaseUnit {
    /// The recurring revenue of a month at the instant of the unit, whether or not auto-renew is off.
    ///
    /// Paid purchases count while they serve, and while Apple's grace period covers their failed renewal.
    package func monthlyRevenue(_ definition: Rules.Revenue.RecurringRevenue) -> Amounts {
        var amounts = Amounts()
        for purchase in purchases where purchase.recurs {
            switch purchase.payment {
            case .free: continue
            case .unknown: amounts.add(nil, nil)
            case .paid: amounts.add(purchase.monthlyPrice(definition), purchase.price?.currency)
            }
        }
        return amounts
    }
}

extension SubscriptionPurchase {
    /// Whether the purchase serves at the instant in question, or a grace period goes on after it.
    fileprivate var recurs: Bool {
        if service?.contains(asOf) == true { return true }
        guard let failure, failure.next == nil, let until = failure.graceUntil else { return false }
        return failure.failedAt <= asOf && asOf < until
    }

    /// The price of a month; nil if the price or the time that it is for is not known.
    fileprivate func monthlyPrice(_ definition: Rules.Revenue.RecurringRevenue) -> Int64? {
        guard let price = price?.price, let period = chargedPeriod else { return nil }
        let count = Int64(period.count)
        switch period.unit {
        case .day: return price.scaled(by: 365, over: 12 * count)
        case .week:
            switch definition {
            case .default: return price.scaled(by: 365, over: 84 * count)
            case .revenueCat: return price.scaled(by: 4, over: count)
            case .iapkit: return price.scaled(by: 4_345, over: 1_000 * count)
            }
        case .month: return price.scaled(by: 1, over: count)
        case .year: return price.scaled(by: 1, over: 12 * count)
        }
    }

    /// The time that the price is for: the whole offer if it was paid up front.
    private var chargedPeriod: CalendarPeriod? {
        guard offer?.offerDiscountType == .payUpFront else { return duration }
        return offer?.offerPeriod.flatMap { CalendarPeriod($0.text) }
    }
}
