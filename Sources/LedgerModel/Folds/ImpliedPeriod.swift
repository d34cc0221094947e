import AppStoreModel
import Primitives

extension Period {
    /// Periods that renewal infos imply: renewalDate is the end of the most recent purchase, so where no known
    /// transaction reaches it one is missing. Entitled, no revenue, until the transaction is seen.
    ///
    /// Those implied by older renewal infos count as known for the younger.
    static func implied(
        by renewals: [Observed<RenewalFact>], beside known: [Period], notifications: [Observed<NotificationFact>]
    ) -> [Period] {
        let ending = notifications.filter(\.value.endsImpliedPeriod)
        var periods = known
        for renewal in renewals {
            if let implied = Period(impliedBy: renewal, beside: periods, ending: ending) { periods.append(implied) }
        }
        return Array(periods[known.count...])
    }

    private init?(
        impliedBy renewal: Observed<RenewalFact>, beside periods: [Period],
        ending notifications: [Observed<NotificationFact>]
    ) {
        guard let renewalDate = renewal.value.renewalDate else { return nil }
        // A purchase that begins where renewalDate lies is a later one than renewal info speaks of.
        let earlier = periods.lazy.filter { !$0.start.joins(renewalDate) }
        let newestEnd = earlier.compactMap(\.latestEnd).max()
        if let newestEnd, newestEnd.joins(renewalDate) { return nil }

        let signed = renewal.source.time
        let candidates = [newestEnd, renewal.value.recentSubscriptionStartDate].compactMap(\.self)
        let start = min(candidates.max() ?? signed, signed)
        let ending = notifications.first { $0.source.time >= signed && $0.source.time < renewalDate }
        let end = min(renewalDate, ending?.source.time ?? renewalDate)
        guard start < end else { return nil }

        let neighbour = earlier.max { $0.isOlder(than: $1) }
        self.init(
            basis: .renewalInfo, productId: renewal.value.productId, type: .autoRenewable,
            inAppOwnershipType: neighbour?.inAppOwnershipType, start: start, end: end,
            revocations: ending.flatMap(Revocation.init(signedStatus:)).map { [$0] } ?? [], source: renewal.source)
    }

    /// Periods that renewals imply which Apple signed before their purchaseDate: it renews only what is active, so
    /// without a known period at that instant one is missing.
    static func implied(
        byEarlyRenewals transactions: [Observed<TransactionFact>], beside periods: [Period]
    ) -> [Period] {
        periods.filter(\.isKnown).compactMap { renewal in
            let early = transactions.first { copy in
                copy.value.transactionReason == .renewal && copy.source.time < renewal.start
                    && renewal.sources.contains(copy.source) && !periods.contains { $0.covers(copy.source.time) }
            }
            guard let early else { return nil }
            let start = early.source.time
            let earlier = periods.filter { $0.start <= start }.max { $0.isOlder(than: $1) }
            return Period(
                basis: .earlyRenewal, productId: (earlier ?? renewal).productId, type: renewal.type,
                inAppOwnershipType: (earlier ?? renewal).inAppOwnershipType, start: start, end: renewal.start,
                revocations: [], source: early.source)
        }
    }

    private init(
        basis: Basis, productId: String?, type: ProductType?, inAppOwnershipType: InAppOwnershipType?,
        start: Instant, end: Instant, revocations: [Revocation], source: Source
    ) {
        self.basis = basis
        self.transactionId = nil
        self.productId = productId
        self.type = type
        self.inAppOwnershipType = inAppOwnershipType
        self.offer = nil
        self.price = nil
        self.start = start
        self.expiresDate = StepField([Observed(source: source, value: end)])
        self.revocations = revocations
        self.isMarkedReplaced = false
        self.replacement = nil
        self.sources = [source]
    }
}

extension NotificationFact {
    /// Apple's signed status says that nothing is paid for any more.
    fileprivate var endsImpliedPeriod: Bool {
        status == .expired || status == .billingRetry || status == .revoked
    }
}

extension Revocation {
    /// A purchase whose transaction is not known is revoked from the signing of a status that says so.
    fileprivate init?(signedStatus notification: Observed<NotificationFact>) {
        guard notification.value.status == .revoked else { return nil }
        self.init(
            statement: nil, start: notification.source.time, end: nil, source: notification.source, reversal: nil)
    }
}
