import AppStoreModel
package import Primitives

extension [Period] {
    /// The latest purchase begun by `t`: the only period of a key that can be in force.
    ///
    /// - Parameter signed: the instant by which the renewal infos were signed that decide the order; nil for `t`.
    /// - Precondition: the periods of one key in the order of purchase.
    /// - Complexity: O(log n) for n periods, and linear in those of the 24 hours before.
    package func latest(begunBy t: Instant, decidedBy signed: Instant? = nil) -> Period? {
        guard let latest = self[..<partitioningIndex { $0.start > t }].last else { return nil }
        // A plan change outranks renewals alone, so nothing outranks the plan change.
        return purchases(inChargeWindowOf: latest).last { latest.isOutranked(by: $0, at: signed ?? t) } ?? latest
    }

    /// The purchases of the 24 hours before a renewal, in which Apple may have charged it already.
    private func purchases(inChargeWindowOf renewal: Period) -> ArraySlice<Period> {
        let opening = renewal.start.advanced(byMilliseconds: -Subscription.earlyChargeMilliseconds)
        return self[partitioningIndex { $0.start >= opening }..<partitioningIndex { $0.start >= renewal.start }]
    }

    /// The period charged already that begins where this one ends: signed by `t` and not revoked by then.
    package func renewal(of period: Period, chargedBy t: Instant) -> Period? {
        successors(of: period, at: t).first { next in
            next.firstStatedAt <= t && next.revocation(at: t) == nil && !next.isReplaced(at: t)
        }
    }

    /// The periods that begin where this one ends.
    package func successors(of period: Period, at t: Instant) -> some Sequence<Period> {
        let joining = period.end(at: t).map { end in
            let earliest = end.advanced(byMilliseconds: -Instant.joinTolerance)
            let latest = end.advanced(byMilliseconds: Instant.joinTolerance)
            return partitioningIndex { $0.start >= earliest }..<partitioningIndex { $0.start > latest }
        }
        return self[joining ?? startIndex..<startIndex].lazy.filter { period.isOlder(than: $0) }
    }

    /// The purchase after a period, where it begins later than the end.
    package func first(after period: Period, endingAt end: Instant) -> Period? {
        let next = partitioningIndex { $0.start > Swift.max(end, period.start) }
        return next < endIndex && period.isOlder(than: self[next]) ? self[next] : nil
    }
}

extension Period {
    /// Whether it is a renewal, or implied by a renewal info signed before it starts.
    private var isRenewalCharge: Bool {
        transactionReason == .renewal || basis == .renewalInfo && firstStatedAt < start
    }

    /// Whether a plan change bought in the 24 hours before this renewal starts is the later purchase.
    ///
    /// Apple had charged the renewal by then. The plan change counts as later when the renewal is marked isUpgraded, or
    /// when of the renewal infos that speak of either, signed by `t` and not before the plan change, the newest speaks of
    /// the plan change. A purchase that ends before the renewal starts is followed by it, not replacing it.
    func isOutranked(by change: Period, at t: Instant) -> Bool {
        guard isRenewalCharge, !change.isRenewalCharge, change.basis != .earlyRenewal,
            change.productId != productId, change.type == .autoRenewable, change.start < start,
            start.advanced(byMilliseconds: -Subscription.earlyChargeMilliseconds) <= change.start,
            let changeEnd = change.latestEnd, changeEnd > start.advanced(byMilliseconds: Instant.joinTolerance)
        else { return false }
        if isMarkedUpgraded { return true }
        func newest(of period: Period) -> Observed<RenewalFact>? {
            period.renewalInfos.last { $0.source.time <= t && $0.source.time >= change.start }
        }
        guard let ofChange = newest(of: change) else { return false }
        return newest(of: self)?.isOutweighed(by: ofChange) ?? true
    }
}
