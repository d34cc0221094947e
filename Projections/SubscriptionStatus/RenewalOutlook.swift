import AppStoreModel
import LedgerModel
import Primitives

/// The evidence about the renewal of a period at its end.
struct RenewalOutlook {
    let period: Period
    let end: Instant
    let renewal: RenewalInForce?
    let signedStatus: SignedStatus?

    private var terms: RenewalFact? { renewal?.terms }

    /// Whether a renewal may still arrive: it is not known to be off, to have failed or to lack the consent it needs.
    var isAwaited: Bool {
        period.type != .nonConsumable && !period.isMarkedUpgraded && renewal?.autoRenewStatus != .off
            && terms?.statesFailure != true && terms?.priceIncreaseStatus != .pending
            && signedStatus?.code.deniesRenewal != true
    }

    /// The end of Apple's grace period; nil without one that has a date.
    var graceEnd: Instant? { terms?.gracePeriodExpiresDate }

    /// The latest end of a grace period that Apple signed without a date.
    var signedGraceEnd: Instant? {
        guard terms?.isInBillingRetryPeriod == true, graceEnd == nil, signedStatus?.code == .gracePeriod else {
            return nil
        }
        return end.advanced(byDays: Durations.longestGraceDays)
    }

    /// Whether Apple retries the charge, with auto-renew not off.
    var isRetrying: Bool { terms?.isInBillingRetryPeriod == true && terms?.autoRenewStatus != .off }
}

extension StatusContext {
    /// The outlook of the period in force or newest; nil for what does not end.
    var outlook: RenewalOutlook? {
        end.map { RenewalOutlook(period: period, end: $0, renewal: renewal, signedStatus: signedStatus) }
    }

    func leewayEnd(_ outlook: RenewalOutlook) -> Instant { leewayEnd(of: outlook.period, endingAt: outlook.end) }
}
