import AppStoreModel
import LedgerModel
import Primitives

/// One key at one instant under given rules: the input of every rule in this folder.
struct StatusContext {
    let t: Instant
    let rules: Rules.Access
    let isProduction: Bool
    /// The periods that produce rows, in the order of purchase.
    let periods: [Period]
    /// The latest purchase begun by `t`. No other period can be in force.
    let period: Period
    /// The end of the period; nil if it does not end.
    let end: Instant?
    let renewal: RenewalInForce?
    let signedStatus: SignedStatus?
    /// The renewal that Apple has already charged.
    let chargedRenewal: Period?
    /// The decision behind every field of the row.
    private(set) var decision = StatusDecision.periodEnded

    /// Creates the context of a key at `t`; nil before the first period begins.
    /// - Parameter periods: the listed periods of the subscription.
    init?(_ key: SubscriptionKey, periods: [Period], at t: Instant, rules: Rules.Access) {
        guard let period = periods.latest(begunBy: t) else { return nil }
        self.t = t
        self.rules = rules
        isProduction = key.environment == .production
        self.periods = periods
        self.period = period
        end = period.end(at: t)
        renewal = period.renewal(at: t)
        signedStatus = period.signedStatus(at: t)
        chargedRenewal = periods.renewal(of: period, chargedBy: t)
        decision = decide()
    }

    var status: Status { decision.status }
}

extension Subscription {
    /// The periods that produce rows. Consumables have no state. The end of a non-renewing subscription is known only
    /// with a catalogue.
    var listedPeriods: [Period] {
        periods.allSatisfy(\.isListed) ? periods : periods.filter(\.isListed)
    }
}

extension Period {
    fileprivate var isListed: Bool {
        if type == .autoRenewable { return hasEnd }
        return type == .nonConsumable || type != .consumable && type != .nonRenewing && hasEnd
    }
}
