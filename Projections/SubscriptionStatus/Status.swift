import AppStoreModel
import LedgerModel
import Primitives

/// Apple's five statuses, in Apple's words.
package enum Status: String, Sendable, CaseIterable {
    case active, gracePeriod, billingRetry, revoked, expired
}

extension Moment {
    /// Apple tries to collect for so long. Sandbox and TestFlight shorten it to minutes, so there the newest renewal
    /// info alone decides.
    private static let billingRetryDays = 60

    /// The first rule that matches.
    var rule: Rule {
        if let covering { return covering.isKnown ? .periodCovers : .impliedPeriodCovers }
        if newest.isReplaced(at: t) { return .replaced }
        if newest.revocation(at: t) != nil { return .revoked }
        if isRenewalAwaited { return .renewalAwaited }
        if isInGracePeriod { return .gracePeriod }
        if isInBillingRetry { return .billingRetry }
        if let status = openStatus { return .signedStatus(status) }
        return .periodEnded
    }

    /// Auto-renew is on and nothing failed: the renewal is a little late.
    private var isRenewalAwaited: Bool {
        guard let renewal, renewal.autoRenewStatus == .on, !isFailureKnown, let end = newest.end(at: t) else {
            return false
        }
        return t < end.advanced(byMinutes: leewayMinutes)
    }

    private var isFailureKnown: Bool {
        renewal?.isInBillingRetryPeriod == true || renewal?.expirationIntent != nil
    }

    private var isInGracePeriod: Bool {
        guard let expires = renewal?.gracePeriodExpiresDate else { return false }
        return t < expires
    }

    private var isInBillingRetry: Bool {
        guard let renewal else { return false }
        return renewal.isInBillingRetryPeriod == true && renewal.autoRenewStatus != .off && isWithinBillingRetryDays
    }

    private var isWithinBillingRetryDays: Bool {
        guard isProduction, let end = newest.end(at: t) else { return true }
        return t < end.advanced(byDays: Self.billingRetryDays)
    }

    /// A signed `data.status` is evidence, not state. It decides only where the rest leaves `t` open: the newest
    /// period has ended, and no renewal info is known to say how.
    private var openStatus: Status? {
        switch signedStatus?.value.status.flatMap(Status.init(signed:)) {
        case .gracePeriod: isWithinBillingRetryDays ? .gracePeriod : nil
        case .billingRetry: isWithinBillingRetryDays ? .billingRetry : nil
        case let status: status
        }
    }

    /// Who signed the status that decides an open instant.
    var signedStatus: Observed<NotificationFact>? {
        guard renewal == nil, covering == nil, let end = newest.end(at: t) else { return nil }
        return notifications.last { $0.value.status != nil && end <= $0.source.time && $0.source.time <= t }
    }
}

extension Moment {
    /// When time alone changes an answer after the end of a period; superfluous ones do no harm.
    static func deadlines(after end: Instant, _ rules: Rules.Access) -> [Instant] {
        let ownGrace = end.advanced(byDays: rules.ownGraceDays)
        return [
            end.advanced(byMinutes: rules.renewalLeewayMinutes),
            end.advanced(byMinutes: min(rules.renewalLeewayMinutes, leewayMinutesOutsideProduction)),
            end.advanced(byDays: billingRetryDays),
            ownGrace,
            ownGrace.advanced(byDays: rules.limitedAccessDays),
        ]
    }
}

extension Status {
    /// Nil for `active` too: after the end of the newest period it says that something was bought, not until when.
    init?(signed code: SubscriptionStatusCode) {
        switch code {
        case .expired: self = .expired
        case .billingRetry: self = .billingRetry
        case .gracePeriod: self = .gracePeriod
        case .revoked: self = .revoked
        default: return nil
        }
    }
}
