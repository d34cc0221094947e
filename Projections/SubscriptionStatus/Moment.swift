import AppStoreModel
import LedgerModel
import Primitives

/// One key at one instant under given rules: what every rule of this folder looks at.
struct Moment {
    let t: Instant
    let rules: Rules.Access
    let key: SubscriptionKey
    /// The listed ones, oldest first.
    let periods: [Period]
    /// The greatest (start, end, transactionId) that has begun.
    let newest: Period
    /// Covers `t`, neither revoked nor replaced.
    let covering: Period?
    let renewal: RenewalFact?
    let renewalSource: Source?
    /// Whether the renewal info was signed after `t`, none being known from before.
    let isRenewalInferred: Bool
    let notifications: [Observed<NotificationFact>]

    /// Nil while nothing has begun.
    /// - Parameter periods: the subscription's that are listed.
    init?(_ subscription: Subscription, periods: [Period], at t: Instant, rules: Rules.Access) {
        let begun = periods.lazy.filter { $0.start <= t }
        guard let newest = begun.max(by: { $0.isOlder(than: $1, at: t) }) else { return nil }
        let info = subscription.renewalInfo.value(at: t)
        self.t = t
        self.rules = rules
        self.key = subscription.key
        self.periods = periods
        self.newest = newest
        covering = periods.covering(t)
        renewal = info?.statement.value
        renewalSource = info?.statement.source
        isRenewalInferred = info?.isInferred ?? false
        notifications = subscription.notifications
    }

    /// Gives product, offer and reason.
    var period: Period { covering ?? newest }

    var isProduction: Bool { key.environment == .production }

    /// Elsewhere a month lasts minutes, and a late renewal is late by less.
    static let leewayMinutesOutsideProduction = 5

    var leewayMinutes: Int {
        isProduction
            ? rules.renewalLeewayMinutes : min(rules.renewalLeewayMinutes, Self.leewayMinutesOutsideProduction)
    }
}

extension Subscription {
    var listedPeriods: [Period] { periods.filter(\.isListed) }
}

extension Period {
    /// Consumables have no state, and the end of what does not renew is known to the catalogue alone.
    fileprivate var isListed: Bool {
        switch type {
        case .nonConsumable: true
        case .consumable, .nonRenewing: false
        default: !expiresDate.steps.isEmpty
        }
    }

    func isInForce(at t: Instant) -> Bool {
        !isReplaced(at: t) && revocation(at: t) == nil
    }
}

extension [Period] {
    /// The newest in force that covers `t`. An implied period gives way to a known one of its product, which says
    /// the same and more.
    fileprivate func covering(_ t: Instant) -> Period? {
        let candidates = filter { $0.covers(t) && $0.isInForce(at: t) }
        guard let newest = candidates.max(by: { $0.isOlder(than: $1, at: t) }), !newest.isKnown else {
            return candidates.max { $0.isOlder(than: $1, at: t) }
        }
        let known = candidates.filter { $0.isKnown && $0.productId == newest.productId }
        return known.max { $0.isOlder(than: $1, at: t) } ?? newest
    }
}
