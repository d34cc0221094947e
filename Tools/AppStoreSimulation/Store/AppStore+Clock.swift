import AppStoreModel
import Primitives

/// An act of the App Store itself, performed when it is due.
enum ClockAct {
    /// Begins a period already charged.
    case begin
    /// Charges the next period.
    case charge
    case endPeriod
    case endGrace
    case endRetry
}

extension AppStore {
    /// Returns the earliest due act; at equal times, the first subscription's.
    func nextDue() -> (SubscriptionID, due: (date: Instant, act: ClockAct))? {
        var earliest: (SubscriptionID, due: (date: Instant, act: ClockAct))?
        for index in subscriptions.indices {
            guard let due = subscriptions[index].due(after: now, in: configuration) else { continue }
            if let earliest, earliest.due.date <= due.date { continue }
            earliest = (SubscriptionID(index: index), due)
        }
        return earliest
    }

    mutating func perform(_ act: ClockAct, on id: SubscriptionID) {
        switch act {
        case .begin: beginPeriod(id)
        case .charge: chargeIfPossible(id)
        case .endPeriod: endPeriod(id)
        case .endGrace: endGrace(id)
        case .endRetry: endRetry(id)
        }
    }
}

extension Subscription {
    /// Returns the next act; nil when only the customer can act. A shared subscription follows the purchaser's.
    fileprivate func due(after now: Instant, in configuration: StoreConfiguration) -> (date: Instant, act: ClockAct)? {
        guard origin.ownership == .purchased else { return nil }
        if newest.purchaseDate > now { return (newest.purchaseDate, .begin) }
        switch phase {
        case .active:
            // Auto-renewal may have been off when the day of the charge came.
            if autoRenews, priceIncrease?.isAccepted != false, let chargeDate { return (max(chargeDate, now), .charge) }
            return (end, .endPeriod)
        case .gracePeriod(let until):
            return (until, .endGrace)
        case .billingRetry:
            return (end.advanced(byMilliseconds: configuration.milliseconds(ofDays: BillingRetry.days)), .endRetry)
        case .expired, .revoked:
            return nil
        }
    }
}
