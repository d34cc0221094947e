import AppStoreModel
package import Primitives

extension [Period] {
    /// Returns the latest purchase begun by `t`: the only period of a key that can be in force.
    ///
    /// - Parameter signed: the instant by which the deciding renewal infos are signed; nil for `t`.
    /// - Precondition: the periods of one key in the order of purchase.
    /// - Complexity: O(log n) for n periods, and linear in the periods of the 24 hours before.
    package func latest(begunBy t: Instant, decidedBy signed: Instant? = nil) -> Period? {
        guard let latest = self[..<partitioningIndex { $0.start > t }].last else { return nil }
        // A plan change outranks only renewals, so no period outranks the plan change.
        return purchases(inChargeWindowOf: latest).last { latest.isOutranked(by: $0, at: signed ?? t) } ?? latest
    }

    /// Returns the purchases of the 24 hours before a renewal, in which Apple may already have charged it.
    private func purchases(inChargeWindowOf renewal: Period) -> ArraySlice<Period> {
        let opening = renewal.start.advanced(byMilliseconds: -Subscription.earlyChargeMilliseconds)
        return self[partitioningIndex { $0.start >= opening }..<partitioningIndex { $0.start >= renewal.start }]
    }

    /// Returns the charged renewal of a period: it begins at the period's end, is signed by `t`, and is neither revoked
    /// nor replaced by then.
    package func renewal(of period: Period, chargedBy t: Instant) -> Period? {
        successors(of: period, at: t).first { next in
            next.firstStatedAt <= t && next.revocation(at: t) == nil && !next.isReplaced(at: t)
        }
    }

    /// Returns the first purchase, begun by `t`, that replaces a period: it comes later in the order of purchase and
    /// overlaps the period by more than a second. Of the purchases of a key, only the latest can be in force.
    /// - Complexity: O(log n) for n periods, and linear in those that begin before the end.
    package func successor(replacing period: Period, at t: Instant) -> Period? {
        guard let end = period.end(at: t) else { return nil }
        let opening = period.start.advanced(byMilliseconds: -Subscription.earlyChargeMilliseconds)
        let closing = Swift.min(end.advanced(byMilliseconds: -Instant.joinTolerance), t.advanced(byMilliseconds: 1))
        let first = partitioningIndex { $0.start >= opening }
        let last = partitioningIndex { $0.start >= closing }
        return self[first..<Swift.max(first, last)].first { $0.isKnown && period.precedes($0, at: t) }
    }

    /// Returns the periods that begin at the end of this one.
    package func successors(of period: Period, at t: Instant) -> some Sequence<Period> {
        let joining = period.end(at: t).map { end in
            let earliest = end.advanced(byMilliseconds: -Instant.joinTolerance)
            let latest = end.advanced(byMilliseconds: Instant.joinTolerance)
            return partitioningIndex { $0.start >= earliest }..<partitioningIndex { $0.start > latest }
        }
        return self[joining ?? startIndex..<startIndex].lazy.filter { period.isOlder(than: $0) }
    }

    /// Returns the purchase after a period, if it begins later than the end.
    package func first(after period: Period, endingAt end: Instant) -> Period? {
        let next = partitioningIndex { $0.start > Swift.max(end, period.start) }
        return next < endIndex && period.isOlder(than: self[next]) ? self[next] : nil
    }
}

extension Period {
    /// Whether a source that cannot tell a refund from a replacement cancels the period when another begins. Once it is
    /// replaced, that cancellation is no revocation any more.
    private func isCancelled(for other: Period) -> Bool {
        isRevoked(for: other) || replacement?.sources == other.sources
    }

    /// Whether the period comes before another of its key in the order of purchase, as signed by `t`.
    fileprivate func precedes(_ other: Period, at t: Instant) -> Bool {
        isOlder(than: other) ? !other.isOutranked(by: self, at: t) : isOutranked(by: other, at: t)
    }

    /// Whether the period is a renewal, or implied by a renewal info signed before the period starts.
    private var isRenewalCharge: Bool {
        transactionReason == .renewal || basis == .renewalInfo && firstStatedAt < start
    }

    /// Whether a plan change bought in the 24 hours before this renewal starts is the later purchase.
    ///
    /// Apple had already charged the renewal. The plan change is the later purchase when the renewal is marked
    /// isUpgraded. It is also the later one when the newest renewal info of either, signed by `t` and not before the
    /// plan change, describes the plan change. A purchase that ends before the renewal starts does not replace the
    /// renewal, but precedes it. Receipts and answers of verifyReceipt never tell a renewal; a cancellation of it when the
    /// plan change begins does.
    func isOutranked(by change: Period, at t: Instant) -> Bool {
        let isUntold = isKnown && transactionReason == nil
        guard isRenewalCharge || isUntold, !change.isRenewalCharge, change.basis != .earlyRenewal,
            change.productId != productId, change.type == .autoRenewable, change.start < start,
            start.advanced(byMilliseconds: -Subscription.earlyChargeMilliseconds) <= change.start,
            let changeEnd = change.latestEnd, changeEnd > start.advanced(byMilliseconds: Instant.joinTolerance)
        else { return false }
        if isMarkedUpgraded || isCancelled(for: change) { return true }
        guard !isUntold else { return false }
        func newest(of period: Period) -> Observed<RenewalFact>? {
            period.renewalInfos.last { $0.source.time <= t && $0.source.time >= change.start }
        }
        guard let ofChange = newest(of: change) else { return false }
        return newest(of: self)?.isOutweighed(by: ofChange) ?? true
    }
}
