import AppStoreModel
import LedgerModel
package import Primitives

/// The rule that decided a status.
package enum StatusDecision: Hashable, Sendable {
    // The cases are in the order of evaluation.
    case replaced, revoked, periodCovers, impliedPeriodCovers
    case renewalAwaited(until: Instant)
    case gracePeriod(until: Instant)
    /// Apple signed status 4 without a date.
    case signedGracePeriod(until: Instant)
    case billingRetry(until: Instant)
    /// A renewal followed a gap, so Apple retried the charge in between.
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
    /// Returns the decision of the first matching rule.
    func decide() -> StatusDecision {
        if period.isReplaced(at: t) { return .replaced }
        if period.revocation(at: t) != nil { return .revoked }
        if isCovered { return period.isKnown ? .periodCovers : .impliedPeriodCovers }
        guard let outlook else { return .periodEnded }
        let inferredRetryEnd = inferredRetryEnd(outlook)
        if outlook.isAwaited, inferredRetryEnd == nil, t < leewayEnd(outlook) {
            return .renewalAwaited(until: leewayEnd(outlook))
        }
        if let until = outlook.graceEnd, t < until { return .gracePeriod(until: until) }
        if let until = outlook.signedGraceEnd, t < until { return .signedGracePeriod(until: until) }
        if outlook.isRetrying, t < retryEnd(outlook.end) { return .billingRetry(until: retryEnd(outlook.end)) }
        if let inferredRetryEnd { return .inferredBillingRetry(until: inferredRetryEnd) }
        return .periodEnded
    }

    /// Whether the period covers `t`, or `t` is in the gap of at most one second before the continuing period.
    private var isCovered: Bool {
        guard let end, end <= t else { return true }
        return periods.successors(of: period, at: t).contains { $0.start > t }
    }

    /// Returns the start of a renewal after a gap of more than an hour and at most 60 days; nil if auto-renew was off.
    private func inferredRetryEnd(_ outlook: RenewalOutlook) -> Instant? {
        guard outlook.renewal?.autoRenewStatus != .off,
            let next = periods.first(after: period, endingAt: outlook.end),
            next.isRecovery(ofRenewalAt: outlook.end), next.start > t
        else { return nil }
        return next.start
    }
}

extension [Period] {
    /// Whether the latest purchase covers `t` and is neither replaced nor revoked. The status then is active under any
    /// rules.
    func isPaid(at t: Instant) -> Bool {
        guard let period = latest(begunBy: t) else { return false }
        return period.covers(t) && !period.isReplaced(at: t) && period.revocation(at: t) == nil
    }
}
