import AppStoreModel
import LedgerModel
import Primitives

extension StatusContext {
    /// The instant access ends if nothing is heard beyond what was signed by `t` and what the row rests on: through
    /// renewals already charged, leeway, grace, own grace and limited days. Nil where it never ends or is none already.
    var accessUntil: Instant? {
        guard access != .none, let end else { return nil }
        switch decision {
        case .revoked: return end
        case .periodCovers, .impliedPeriodCovers: return accessEnd(afterChargesFrom: period)
        case .renewalAwaited(let until): return until
        case .inferredBillingRetry(let until): return min(until, ownGraceEnd(end))
        default: return accessEnd(after: end, renewal?.terms, signedStatus)
        }
    }

    /// Follows the renewals charged by `t` to the last, and what is known of its own renewal.
    private func accessEnd(afterChargesFrom first: Period) -> Instant? {
        var last = first
        while let next = periods.renewal(of: last, chargedBy: t) { last = next }
        guard let end = last.end(at: t) else { return nil }
        let closing = closings(of: last).filter { $0 > t }.min() ?? .latest
        // A renewal that was charged and refunded begins revoked.
        let isRefunded = periods.successors(of: last, at: t).contains { $0.firstStatedAt <= t }
        if isRefunded || last.isMarkedUpgraded { return min(end, closing) }
        let renewal = last == period ? renewal : last.newestRenewal(signedBy: t)
        if renewal?.autoRenewStatus == .off { return min(end, closing) }
        guard let terms = renewal?.terms, terms.statesFailure || terms.priceIncreaseStatus == .pending else {
            let isDenied = last.newestStatus(signedBy: t)?.code.deniesRenewal ?? false
            return min(isDenied ? end : leewayEnd(of: last, endingAt: end), closing)
        }
        return min(accessEnd(after: end, terms, last.newestStatus(signedBy: t)), closing)
    }

    /// The instants known by `t` at which a period stops counting before its end.
    private func closings(of period: Period) -> [Instant] {
        let revocations = period.revocations.filter { $0.source.time <= t && $0.end == nil }.map(\.start)
        let replacement = period.replacement.flatMap { replacement in
            replacement.sources.contains { $0.time <= t } ? replacement.start : nil
        }
        return revocations + [replacement].compactMap(\.self)
    }

    /// The end of access after a renewal that failed at `end`.
    private func accessEnd(after end: Instant, _ terms: RenewalFact?, _ status: SignedStatus?) -> Instant {
        guard let terms else { return end }
        let isRetrying = terms.isInBillingRetryPeriod == true
        let isInSignedGrace = isRetrying && status?.code == .gracePeriod
        let graceEnd =
            terms.gracePeriodExpiresDate ?? (isInSignedGrace ? end.advanced(byDays: Durations.longestGraceDays) : end)
        guard isRetrying, terms.autoRenewStatus != .off else { return max(end, graceEnd) }
        return max(end, graceEnd, min(ownGraceEnd(end), retryEnd(end)))
    }

    private func ownGraceEnd(_ end: Instant) -> Instant {
        end.advanced(byDays: rules.ownGraceDays).advanced(byDays: rules.limitedAccessDays)
    }
}

extension Period {
    fileprivate func newestRenewal(signedBy t: Instant) -> RenewalInForce? {
        guard let renewal = renewal(at: t), !renewal.isForeseen else { return nil }
        return renewal
    }

    fileprivate func newestStatus(signedBy t: Instant) -> SignedStatus? {
        signedStatus(at: t).flatMap { $0.time <= t ? $0 : nil }
    }
}
