import AppStoreModel
package import LedgerModel
package import Primitives
package import SubscriptionStatus

/// The statements about the end of a purchase, for the case that no other continues it.
package struct PurchaseEnding: Hashable, Sendable {
    package let reason: Reason
    /// The first signing of expiry; nil before it.
    package let expirySignedAt: Instant?
    /// The first signing after the end that auto-renew is off; nil before it.
    package let autoRenewOffSignedAt: Instant?
    /// The positions of these statements and of the revocation, ascending.
    package let evidence: [Position]

    init(
        of period: Period, endingAt end: Instant, at t: Instant, _ notifications: [Observed<NotificationFact>]
    ) {
        reason = Reason(endOf: period, at: t)
        let status = period.signedStatuses.first { $0.code == .expired && $0.time <= t }
        let notification = notifications.first { notification in
            notification.value.notificationType == .expired && notification.source.time <= t
                && period.renewalInfoDigests.contains { notification.value.carries($0) }
        }
        let expiry = [status.map { ($0.time, $0.source) }, notification.map { ($0.source.time, $0.source) }]
            .compactMap { $0 }.min { $0.0 < $1.0 }
        let off = period.renewalInfos.first {
            $0.source.time > end && $0.source.time <= t && $0.value.autoRenewStatus == .off
        }
        expirySignedAt = expiry?.0
        autoRenewOffSignedAt = off?.source.time
        let renewal = period.renewal(at: t)?.source
        let sources = [expiry?.1, off?.source, renewal, period.revocation(at: t)?.source]
        evidence = Set(sources.compactMap { $0?.position }).sorted()
    }
}
