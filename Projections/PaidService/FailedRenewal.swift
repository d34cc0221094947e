import AppStoreModel
import LedgerModel
package import Primitives
import SubscriptionStatus

/// A renewal that Apple could not charge when a purchase ended, as of an instant.
package struct FailedRenewal: Hashable, Sendable {
    /// The end of the purchase.
    package let failedAt: Instant
    /// The end of Apple's grace period; nil without one.
    package let graceUntil: Instant?
    /// The next purchase of the key; nil before it begins.
    package let next: Next?

    package struct Next: Hashable, Sendable {
        package let start: Instant
        /// Whether Apple's retry succeeded. Otherwise the subscriber bought again.
        package let isRecovery: Bool
        /// The time at which the charge succeeded.
        package let recoveredAt: Instant
    }
}

extension FailedRenewal {
    /// Creates the failed renewal at the end of a purchase; nil when none is known.
    ///
    /// A failure is known from a renewal info or a signed status about the purchase. A gap of more than an hour and at
    /// most 60 days that a renewal ends, even after `t`, was a failure as well, unless auto-renew was off.
    /// - Parameters:
    ///   - periods: the periods of the key, in the order of purchase.
    ///   - notifications: the notifications of the key.
    init?(
        of period: Period, endingAt end: Instant, at t: Instant, among periods: [Period],
        _ notifications: [Observed<NotificationFact>]
    ) {
        guard end <= t else { return nil }
        let following = periods.successors(of: period, at: t).first { $0.isKnown && $0.start <= t }
        let later = following == nil ? periods.first(after: period, endingAt: end) : nil
        let isInferred =
            later?.isRecovery(ofRenewalAt: end) == true && period.renewal(at: t)?.autoRenewStatus != .off
        guard isInferred || period.statesFailure(at: t) else { return nil }
        let next = following ?? later.flatMap { $0.isPurchase(by: t) ? $0 : nil }
        failedAt = end
        graceUntil = period.graceEnd(after: end, at: t)
        self.next = next.map { next in
            let recovery = next.billingRecovery(among: notifications)
            return Next(
                start: next.start,
                isRecovery: next.transactionReason == .renewal || recovery != nil
                    || next.mayRecover(period, endingAt: end, at: t),
                recoveredAt: next.start > end ? next.start : recovery ?? next.firstStatedAt)
        }
    }
}

extension Period {
    /// Whether Apple signed that the renewal of the period failed. What became of it is known in hindsight.
    fileprivate func statesFailure(at t: Instant) -> Bool {
        let inForce = renewal(at: t)?.source
        return renewalInfos.contains { ($0.source.time <= t || $0.source == inForce) && $0.value.statesBillingFailure }
            || signedStatuses.contains { $0.time <= t && ($0.code == .billingRetry || $0.code == .gracePeriod) }
    }

    /// The end of Apple's grace period: the last that a renewal info about the period states, or the first later
    /// statement about the period that says that Apple ended it. Where Apple signed the status alone, it is the next
    /// status about the period, at most 28 days after the end.
    fileprivate func graceEnd(after end: Instant, at t: Instant) -> Instant? {
        let inForce = renewal(at: t)?.source
        let infos = renewalInfos.filter { $0.source.time <= t || $0.source == inForce }
        let statuses = signedStatuses.filter { $0.time <= t }
        if let stated = infos.compactMap(\.value.gracePeriodExpiresDate).max() {
            let granted = infos.filter { $0.value.gracePeriodExpiresDate != nil }.map(\.source.time).max() ?? end
            let ended =
                infos.filter { $0.value.statesBillingFailure && $0.value.gracePeriodExpiresDate == nil }
                .map(\.source.time)
                + statuses.filter { $0.code != .gracePeriod }.map(\.time)
            return ended.filter { $0 > max(granted, end) }.min().map { min($0, stated) } ?? stated
        }
        guard let first = statuses.firstIndex(where: { $0.code == .gracePeriod }) else { return nil }
        let limit = end.advanced(byMilliseconds: Self.longestGraceDays * Instant.millisecondsPerDay)
        return statuses[first...].first { $0.code != .gracePeriod }.map { min($0.time, limit) } ?? limit
    }

    /// https://developer.apple.com/help/app-store-connect/manage-subscriptions/enable-billing-grace-period-for-auto-renewable-subscriptions
    static let longestGraceDays: Int64 = 28

    /// Whether a known purchase of the account itself begins by `t`.
    fileprivate func isPurchase(by t: Instant) -> Bool {
        isKnown && start <= t && inAppOwnershipType != .familyShared
    }

    /// The signing time of the first BILLING_RECOVERY that carries the purchase; nil without one.
    fileprivate func billingRecovery(among notifications: [Observed<NotificationFact>]) -> Instant? {
        notifications.first { notification in
            notification.value.subtype == .billingRecovery
                && sources.contains { notification.value.carries($0.name.digest) }
        }?.source.time
    }
}

extension RenewalFact {
    fileprivate var statesBillingFailure: Bool {
        isInBillingRetryPeriod == true || expirationIntent == .billingError || gracePeriodExpiresDate != nil
    }
}
