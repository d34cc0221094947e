import AppStoreModel
import LedgerModel
import Primitives

/// The evidence about the renewal of a period at its end.
struct RenewalOutlook {
    let period: Period
    let end: Instant
    let renewal: RenewalInForce?
    let signedStatus: SignedStatus?
    /// The newest renewal info that more than a password proves, where that in force has nothing more.
    private let provenRenewal: Observed<RenewalFact>?

    init(_ period: Period, end: Instant, renewal: RenewalInForce?, signedStatus: SignedStatus?, at t: Instant) {
        (self.period, self.end, self.renewal, self.signedStatus) = (period, end, renewal, signedStatus)
        provenRenewal = renewal?.source.rank == .notificationV1 ? period.provenRenewal(at: t) : nil
    }

    /// Whether a renewal may still arrive: auto-renew is not known to be off, and the renewal is not known to have
    /// failed or to lack the customer's consent. A notification of version 1 may deny it, but opens nothing.
    var isAwaited: Bool {
        period.type != .nonConsumable && !period.isMarkedUpgraded && renewal?.autoRenewStatus != .off
            && renewal?.statesFailure != true && renewal?.priceIncreaseStatus != .pending
            && signedStatus?.code.deniesRenewal != true
            && provenRenewal?.value.autoRenewStatus != .off && provenRenewal?.value.statesFailure != true
    }

    /// The end of Apple's grace period; nil without a stated date. A notification of version 1 opens none: it may repeat or
    /// shorten the one that is proven.
    var graceEnd: Instant? {
        guard let provenRenewal, let stated = renewal?.statement.value.gracePeriodExpiresDate else {
            return renewal?.gracePeriodExpiresDate
        }
        return provenRenewal.value.gracePeriodExpiresDate.map { min($0, stated) }
    }

    /// The latest end of a grace period that Apple signed without a date.
    var signedGraceEnd: Instant? {
        guard renewal?.isInBillingRetryPeriod == true, graceEnd == nil, signedStatus?.code == .gracePeriod,
            provenRenewal?.value.gracePeriodExpiresDate == nil
        else { return nil }
        return end.advanced(byDays: Durations.longestGraceDays)
    }

    /// Whether Apple retries the charge and auto-renew is not off.
    var isRetrying: Bool { renewal?.isInBillingRetryPeriod == true && renewal?.autoRenewStatus != .off }
}

extension StatusContext {
    /// The outlook of the latest purchase; nil for a period that does not end.
    var outlook: RenewalOutlook? {
        end.map { RenewalOutlook(period, end: $0, renewal: renewal, signedStatus: signedStatus, at: t) }
    }

    func leewayEnd(_ outlook: RenewalOutlook) -> Instant { leewayEnd(of: outlook.period, endingAt: outlook.end) }
}
