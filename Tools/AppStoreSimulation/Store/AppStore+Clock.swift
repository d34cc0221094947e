import AppStoreModel
import Primitives

/// What the App Store does by itself when its time has come.
enum ClockAct {
    /// A period that is charged already begins.
    case begin
    /// The next period is charged.
    case charge
    case endPeriod
    case endGrace
    case endRetry
}

extension AppStore {
    /// The earliest of what is to come, the first subscription's at equal times.
    func nextDue() -> (SubscriptionID, due: (date: Instant, act: ClockAct))? {
        var earliest: (SubscriptionID, due: (date: Instant, act: ClockAct))?
        for index in subscriptions.indices {
            guard let due = subscriptions[index].due(after: now) else { continue }
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
    /// Nil for what only a customer can set in motion again. What is shared follows the purchaser's.
    fileprivate func due(after now: Instant) -> (date: Instant, act: ClockAct)? {
        guard origin.ownership == .purchased else { return nil }
        if newest.purchaseDate > now { return (newest.purchaseDate, .begin) }
        switch phase {
        case .active:
            if autoRenews, priceIncrease?.isAccepted != false, let chargeDate { return (chargeDate, .charge) }
            return (end, .endPeriod)
        case .gracePeriod(let until):
            return (until, .endGrace)
        case .billingRetry:
            return (end.advanced(byMilliseconds: BillingRetry.milliseconds), .endRetry)
        case .expired, .revoked:
            return nil
        }
    }
}
