import AppStoreModel
import LedgerModel
package import Primitives

/// The rule that decided a status.
package enum StatusDecision: Hashable, Sendable {
    // In the order in which they are tried.
    case replaced, revoked, periodCovers, impliedPeriodCovers
    case renewalAwaited(until: Instant)
    case gracePeriod(until: Instant)
    /// Apple signed status 4 without a date.
    case signedGracePeriod(until: Instant)
    case billingRetry(until: Instant)
    /// A renewal came after a gap, so Apple retried the charge in between.
    case inferredBillingRetry(until: Instant)
    case periodEnded

    package var status: Status {
        switch self {
        case .periodCovers, .impliedPeriodCovers, .renewalAwaited: .active
        case .gracePeriod, .signedGracePeriod: .gracePeriod
        case .billingRetry, .inferredBillingRetry: .billingRetry
        case .revoked: .revoked
        case .replaced, .periodEnded: .expired
        }
    }

    package var name: String {
        switch self {
        case .replaced: "replaced"
        case .revoked: "revoked"
        case .periodCovers: "periodCovers"
        case .impliedPeriodCovers: "impliedPeriodCovers"
        case .renewalAwaited: "renewalAwaited"
        case .gracePeriod: "gracePeriod"
        case .signedGracePeriod: "signedGracePeriod"
        case .billingRetry: "billingRetry"
        case .inferredBillingRetry: "inferredBillingRetry"
        case .periodEnded: "periodEnded"
        }
    }

    var isRenewalAwaited: Bool {
        if case .renewalAwaited = self { true } else { false }
    }
}

extension StatusContext {
    /// The first rule that matches.
    func decide() -> StatusDecision {
        if period.isReplaced(at: t) { return .replaced }
        if period.revocation(at: t) != nil { return .revoked }
        if isCovered { return period.isKnown ? .periodCovers : .impliedPeriodCovers }
        guard let end else { return .periodEnded }
        if let until = awaitedUntil(end), t < until { return .renewalAwaited(until: until) }
        if let until = renewal?.terms?.gracePeriodExpiresDate, t < until { return .gracePeriod(until: until) }
        if let until = signedGraceUntil(end), t < until { return .signedGracePeriod(until: until) }
        if let until = retryUntil(end), t < until { return .billingRetry(until: until) }
        if let until = inferredRetryUntil(end) { return .inferredBillingRetry(until: until) }
        return .periodEnded
    }

    /// The period covers `t`, or `t` lies in the second at most before the period that continues it.
    private var isCovered: Bool {
        guard let end, end <= t else { return true }
        return periods.successors(of: period, at: t).contains { $0.start > t }
    }

    /// A renewal is awaited that is not known to be off, to have failed or to lack the consent it needs.
    private func awaitedUntil(_ end: Instant) -> Instant? {
        guard period.type != .nonConsumable, !period.isMarkedUpgraded, renewal?.autoRenewStatus != .off,
            renewal?.terms?.statesFailure != true, renewal?.terms?.priceIncreaseStatus != .pending,
            signedStatus.map({ !$0.code.deniesRenewal }) ?? true, inferredRetryUntil(end) == nil
        else { return nil }
        return leewayEnd(of: period, endingAt: end)
    }

    private func signedGraceUntil(_ end: Instant) -> Instant? {
        guard let terms = renewal?.terms, terms.isInBillingRetryPeriod == true, terms.gracePeriodExpiresDate == nil,
            signedStatus?.code == .gracePeriod
        else { return nil }
        return end.advanced(byDays: Durations.longestGraceDays)
    }

    private func retryUntil(_ end: Instant) -> Instant? {
        guard let terms = renewal?.terms, terms.isInBillingRetryPeriod == true, terms.autoRenewStatus != .off else {
            return nil
        }
        return retryEnd(end)
    }

    /// The start of a renewal after a gap of more than an hour and at most 60 days, unless auto-renew was off.
    private func inferredRetryUntil(_ end: Instant) -> Instant? {
        guard renewal?.autoRenewStatus != .off,
            let next = periods.first(after: period, endingAt: end.advanced(byMinutes: Durations.longestGapMinutes)),
            next.isRecovery(ofRenewalAt: end), next.start > t
        else { return nil }
        return next.start
    }
}

/// The spans that Apple documents or that were seen in what it signs.
enum Durations {
    /// https://developer.apple.com/help/app-store-connect/manage-subscriptions/enable-billing-grace-period-for-auto-renewable-subscriptions
    static let longestGraceDays = 28
    /// Apple tries to collect for so long.
    static let billingRetryDays = 60
    static let billingRetryDaysOutsideProduction = 1
    static let leewayMinutesOutsideProduction = 5
    /// A renewal after a longer gap was not in time.
    static let longestGapMinutes = 60

    /// Outside Production Apple retries for minutes and does not always tell the end.
    static func retryEnd(_ end: Instant, isProduction: Bool) -> Instant {
        end.advanced(byDays: isProduction ? billingRetryDays : billingRetryDaysOutsideProduction)
    }

    /// Outside Production a month lasts minutes, and a late renewal is late by less.
    static func leewayEnd(
        of period: Period, endingAt end: Instant, _ rules: Rules.Access, isProduction: Bool
    ) -> Instant {
        let byRules = end.advanced(byMinutes: rules.renewalLeewayMinutes)
        guard !isProduction else { return byRules }
        let (length, overflow) = end.milliseconds.subtractingReportingOverflow(period.start.milliseconds)
        let tenth = end.advanced(byMilliseconds: overflow ? .max : max(0, length / 10))
        return min(byRules, tenth, end.advanced(byMinutes: leewayMinutesOutsideProduction))
    }
}

extension StatusContext {
    func retryEnd(_ end: Instant) -> Instant {
        Durations.retryEnd(end, isProduction: isProduction)
    }

    func leewayEnd(of period: Period, endingAt end: Instant) -> Instant {
        Durations.leewayEnd(of: period, endingAt: end, rules, isProduction: isProduction)
    }
}

extension SubscriptionStatusCode {
    /// Whether it says that no renewal is on its way.
    var deniesRenewal: Bool {
        self == .expired || self == .billingRetry || self == .revoked
    }
}
