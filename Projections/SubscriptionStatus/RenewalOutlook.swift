import AppStoreModel
import LedgerModel
import Primitives

/// The evidence about the renewal of a period at its end.
struct RenewalOutlook {
    let period: Period
    let end: Instant
    let renewal: RenewalInForce?
    let signedStatus: SignedStatus?

    /// Whether a renewal may still arrive: auto-renew is not known to be off, and the renewal is not known to have
    /// failed or to lack the customer's consent.
    var isAwaited: Bool {
        period.type != .nonConsumable && !period.isMarkedUpgraded && renewal?.autoRenewStatus != .off
            && renewal?.statesFailure != true && renewal?.priceIncreaseStatus != .pending
            && signedStatus?.code.deniesRenewal != true
    }

    /// The end of Apple's grace period; nil without a stated date.
    var graceEnd: Instant? { renewal?.gracePeriodExpiresDate }

    /// The latest end of a grace period that Apple signed without a date.
    var signedGraceEnd: Instant? {
        guard renewal?.isInBillingRetryPeriod == true, graceEnd == nil, signedStatus?.code == .gracePeriod else {
            return nil
        }
        return end.advanced(byDays: Durations.longestGraceDays)
    }

    /// Whether Apple retries the charge and auto-renew is not off.
    var isRetrying: Bool { renewal?.isInBillingRetryPeriod == true && renewal?.autoRenewStatus != .off }
}

extension StatusContext {
    /// The outlook of the latest purchase; nil for a period that does not end.
    var outlook: RenewalOutlook? {
        end.map { RenewalOutlook(period: period, end: $0, renewal: renewal, signedStatus: signedStatus) }
    }

    func leewayEnd(_ outlook: RenewalOutlook) -> Instant { leewayEnd(of: outlook.period, endingAt: outlook.end) }
}
