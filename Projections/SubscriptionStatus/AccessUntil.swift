import AppStoreModel
package import LedgerModel
package import Primitives

extension StatusContext {
    /// The instant at which access ends, given only the statements signed by `t` and those that support the row. It
    /// covers renewals already charged, leeway, grace, own grace and limited days. Nil for no access or access without
    /// end.
    ///
    /// - Complexity: O(n) for n periods, and O(n) more for each period charged ahead.
    var accessUntil: Instant? {
        guard access != .none else { return nil }
        var (last, since) = (period, period.start)
        for next in chargedPeriods {
            let until = accessEnd(of: last, before: next).map { max(since, $0) }
            if let until, until < next.start { return until }
            // A plan change may outrank the renewal that begins.
            guard let latest = begun(by: next.start), latest != last else { continue }
            if isClosed(latest, at: next.start) { return next.start }
            (last, since) = (latest, next.start)
        }
        return accessEnd(of: last, before: nil).map { max(since, $0) }
    }

    /// The periods that begin after `t` and that Apple has charged by then, in the order of purchase.
    private var chargedPeriods: [Period] {
        periods[periods.partitioningIndex { $0.start > t }...].filter { $0.firstStatedAt <= t }
    }

    /// Returns the latest purchase at a later instant, as known at `t`.
    private func begun(by instant: Instant) -> Period? {
        periods.filter { $0.start <= t || $0.firstStatedAt <= t }.latest(begunBy: instant, decidedBy: t)
    }

    /// Returns the end of access through a period; nil if access never ends.
    /// - Parameter next: the following purchase that is already charged.
    private func accessEnd(of last: Period, before next: Period?) -> Instant? {
        let known = closings(of: last).filter { $0 > t }.min()
        guard let end = last.end(at: t) else { return known }
        let closing = known ?? .latest
        let isPresent = last == period
        if isPresent, case .revoked = decision { return min(end, closing) }
        // A gap of at most one second before the continuing period belongs to this period.
        if let next, next.start >= end, next.start.isSame(as: end) { return min(next.start, closing) }
        let outlook = RenewalOutlook(
            last, end: end, renewal: isPresent ? renewal : last.newestRenewal(signedBy: t),
            signedStatus: isPresent && end <= t ? signedStatus : last.newestStatus(signedBy: t), at: t)
        let paid = max(end, accessEndAfterFailure(outlook))
        if let until = inferredRetry(outlook, before: next) {
            return min(max(paid, min(until, ownGraceEnd(end))), closing)
        }
        return min(outlook.isAwaited ? max(paid, leewayEnd(outlook)) : paid, closing)
    }
}

extension StatusContext {
    /// Returns the start of the renewal after a gap in which Apple retried the charge.
    private func inferredRetry(_ outlook: RenewalOutlook, before next: Period?) -> Instant? {
        if outlook.period == period, case .inferredBillingRetry(let until) = decision { return until }
        guard let next, next.isRecovery(ofRenewalAt: outlook.end), outlook.renewal?.autoRenewStatus != .off else {
            return nil
        }
        return next.start
    }

    /// Whether a purchase is out of force at a later instant, as known at `t`.
    private func isClosed(_ purchase: Period, at instant: Instant) -> Bool {
        closings(of: purchase).contains { $0 <= instant }
    }

    /// Returns the instants, as known at `t`, at which revocations or a replacement end a period.
    private func closings(of period: Period) -> [Instant] {
        var closings: [Instant] = []
        for revocation in period.revocations
        where revocation.source.time <= t && revocation.reversal.map({ $0.time > t }) ?? true {
            if !isKept(revocation, of: period) {
                closings.append(revocation.start)
            } else if let end = period.end(at: t) {
                closings.append(end)
            }
        }
        if let replacement = period.replacement, replacement.sources.contains(where: { $0.time <= t }) {
            closings.append(replacement.start)
        }
        return closings
    }

    /// Whether the rules keep access until the end of the period after this refund.
    private func isKept(_ revocation: Revocation, of period: Period) -> Bool {
        rules.proratedRefund == .keepToExpiry && revocation.statement?.revocationType == .refundProrated
            && period.end(at: t).map { revocation.start < $0 } ?? true
    }

    /// Returns the end of access after a failed renewal: Apple's grace period, then the access that the rules grant in
    /// billing retry.
    private func accessEndAfterFailure(_ outlook: RenewalOutlook) -> Instant {
        let end = outlook.end
        let graceEnd = outlook.graceEnd ?? outlook.signedGraceEnd ?? end
        guard outlook.isRetrying else { return graceEnd }
        return max(graceEnd, min(ownGraceEnd(end), retryEnd(end)))
    }

    private func ownGraceEnd(_ end: Instant) -> Instant {
        end.advanced(byDays: rules.ownGraceDays).advanced(byDays: rules.limitedAccessDays)
    }
}

extension Period {
    /// Whether this is the renewal after a gap of more than an hour and at most 60 days.
    package func isRecovery(ofRenewalAt end: Instant) -> Bool {
        isKnown && transactionReason == .renewal && start > end.advanced(byMinutes: Durations.longestGapMinutes)
            && start <= end.advanced(byDays: Durations.billingRetryDays)
    }

    /// Whether this may be the renewal by Apple's retry that a failed period was waiting for: receipts state no reason.
    package func mayRecover(_ failed: Period, endingAt end: Instant, at t: Instant) -> Bool {
        transactionReason == nil && failed.renewal(at: t)?.autoRenewStatus != .off
            && start <= end.advanced(byDays: Durations.billingRetryDays)
    }

    fileprivate func newestRenewal(signedBy t: Instant) -> RenewalInForce? {
        guard let renewal = renewal(at: t), !renewal.isForeseen else { return nil }
        return renewal
    }

    fileprivate func newestStatus(signedBy t: Instant) -> SignedStatus? {
        signedStatus(at: t).flatMap { $0.time <= t ? $0 : nil }
    }
}
