import AppStoreModel
import Primitives

extension Period {
    /// Creates the period implied by a renewal info that describes no known purchase and extends none. It entitles
    /// until renewalDate and has no revenue.
    ///
    /// - Parameters:
    ///   - periods: the known periods, and those implied by older renewal infos.
    ///   - ending: the statuses signed for the key that deny a renewal: expired, billing retry or revoked.
    init?(
        impliedBy renewalInfo: Observed<RenewalFact>, beside periods: [Period],
        ending statuses: [SignedStatus]
    ) {
        guard let renewalDate = renewalInfo.value.renewalDate else { return nil }
        let signed = renewalInfo.source.time
        let begun = periods.filter { $0.start <= signed }
        let newestEnd = begun.compactMap(\.latestEnd).max()
        let isRenewalCharged = periods.contains { $0.start > signed && $0.firstStatedAt <= signed }
        let productId = renewalInfo.value.productId
        let sameProduct = periods.filter { $0.isKnown && $0.productId == productId }.max { $0.isOlder(than: $1) }
        let start = Self.impliedStart(
            signed: signed, renewalDate, newestEnd: newestEnd, length: sameProduct?.length,
            isRenewalCharged: isRenewalCharged)
        guard start < renewalDate else { return nil }

        let followed = begun.max { $0.isOlder(than: $1) }
        var ends = [Observed(source: renewalInfo.source, value: renewalDate)]
        let ending = statuses.filter { $0.time >= signed && $0.time < renewalDate }.min { $0.time < $1.time }
        if let ending { ends.append(Observed(source: ending.source, value: ending.time)) }
        self.init(
            basis: .renewalInfo, productId: productId, like: followed, type: .autoRenewable, start: start, ends: ends,
            revocations: followed?.revocations.filter { $0.start >= start || $0.source.time >= signed } ?? [],
            source: renewalInfo.source)
        // The status that ends the period is evidence about it, so that no renewal is awaited.
        if let ending { update { $0.signedStatuses = [ending] } }
    }

    /// Returns the later of the newest end and renewalDate minus the length of the product's newest period, but at most
    /// the signing time. Without such a length, it is the signing time. A renewal charged in the 24 hours before the
    /// newest end starts at that end, unless another renewal is charged for it.
    private static func impliedStart(
        signed: Instant, _ renewalDate: Instant, newestEnd: Instant?, length: Int64?, isRenewalCharged: Bool
    ) -> Instant {
        if let newestEnd, !isRenewalCharged, signed < newestEnd,
            newestEnd.advanced(byMilliseconds: -Subscription.earlyChargeMilliseconds) <= signed, newestEnd < renewalDate
        {
            return newestEnd
        }
        guard let length else { return signed }
        let candidates = [newestEnd, renewalDate.advanced(byMilliseconds: -length)].compactMap(\.self)
        return min(candidates.max() ?? signed, signed)
    }

    /// The length up to the first stated end, in milliseconds; nil without an end.
    private var length: Int64? {
        expiresDate.statements.first.map { $0.value.milliseconds.subtractingReportingOverflow(start.milliseconds) }
            .flatMap {
                $0.overflow || $0.partialValue <= 0 ? nil : $0.partialValue
            }
    }

    /// Creates the period before a renewal that Apple signed before its purchaseDate while no known period was running.
    /// Apple renews only active subscriptions.
    ///
    /// - Parameter periods: the periods of the key, in the order of purchase.
    init?(impliedByEarlyRenewal renewal: Period, beside periods: [Period]) {
        guard renewal.isKnown, renewal.transactionReason == .renewal,
            let early = renewal.sourceList.first(where: { source in
                source.time < renewal.start && !periods.hasPeriod(covering: source.time)
            })
        else { return nil }
        let earlier = periods.last { $0.start <= early.time }
        self.init(
            basis: .earlyRenewal, productId: (earlier ?? renewal).productId, like: earlier ?? renewal,
            type: renewal.type, start: early.time, ends: [Observed(source: early, value: renewal.start)],
            revocations: [], source: early)
    }

    private init(
        basis: Basis, productId: Symbol?, like neighbour: Period?, type: ProductType?, start: Instant,
        ends: [Observed<Instant>], revocations: [Revocation], source: Source
    ) {
        self.init(
            Content(
                basis: basis, transactionId: nil, productId: productId,
                subscriptionGroupIdentifier: neighbour?.subscriptionGroupIdentifier, type: type,
                inAppOwnershipType: neighbour?.inAppOwnershipType, start: start, expiresDate: StepFunction(ends),
                revocations: revocations, isMarkedUpgraded: false, sources: ShortList([source])))
    }
}

extension [Period] {
    /// Whether a period covers `t`; the last one begun nearly always does.
    /// - Precondition: the periods are in the order of purchase.
    fileprivate func hasPeriod(covering t: Instant) -> Bool {
        self[..<partitioningIndex { $0.start > t }].reversed().contains { $0.covers(t) }
    }
}
