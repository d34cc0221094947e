package import AppStoreModel
package import Primitives

/// The renewal info in force for a period at an instant.
package struct RenewalInForce: Hashable, Sendable {
    private let renewalInfos: ArraySlice<Observed<RenewalFact>>
    private let index: Int
    /// Whether it was signed after the instant, which is inside the period. Only autoRenewStatus and autoRenewProductId
    /// then count: terms, grace, retry, intent and price consent may be newer than the instant.
    package let isForeseen: Bool

    fileprivate init(_ index: Int, of renewalInfos: ArraySlice<Observed<RenewalFact>>, isForeseen: Bool = false) {
        self.renewalInfos = renewalInfos
        self.index = index
        self.isForeseen = isForeseen
    }

    package var statement: Observed<RenewalFact> { renewalInfos[index] }
    package var source: Source { renewalInfos[index].source }
    /// Whether Apple says no more about the renewal, so that its end is inferred.
    package var isRemoved: Bool { renewalInfos[index].value.isRemoved }
    package var autoRenewStatus: AutoRenewStatus? { renewalInfos[index].value.autoRenewStatus }
    package var autoRenewProductId: Symbol? { renewalInfos[index].value.autoRenewProductId }
}

// Rules ask for one term at a time, and a renewal info is too large to copy for each.
extension RenewalInForce {
    package var isInBillingRetryPeriod: Bool { !isForeseen && renewalInfos[index].value.isInBillingRetryPeriod == true }
    package var statesFailure: Bool { !isForeseen && renewalInfos[index].value.statesFailure }
    /// Nil too in a notification of version 1, which opens nothing.
    package var gracePeriodExpiresDate: Instant? {
        isForeseen || source.rank == .notificationV1 ? nil : renewalInfos[index].value.gracePeriodExpiresDate
    }
    package var expirationIntent: ExpirationIntent? { isForeseen ? nil : renewalInfos[index].value.expirationIntent }
    package var eligibleWinBackOfferIds: Interned<OfferIdentifiers>? {
        isForeseen ? nil : renewalInfos[index].value.eligibleWinBackOfferIds
    }
    package var priceIncreaseStatus: PriceIncreaseStatus? {
        isForeseen ? nil : renewalInfos[index].value.priceIncreaseStatus
    }
    package var renewalPrice: TransactionFact.Price? { isForeseen ? nil : renewalInfos[index].value.renewalPrice }
    package var commitment: RenewalFact.Commitment? { isForeseen ? nil : renewalInfos[index].value.commitment }
}

extension Period {
    /// Returns the renewal info in force at `t`. Inside the period, it is the newest signed by `t`, else the first,
    /// foreseen. From the end on, it is the newest signed by `t` and not before the end. Else it is the first signed
    /// after `t`, since the outcome of a renewal is known in hindsight; else the newest.
    package func renewal(at t: Instant) -> RenewalInForce? {
        let infos = renewalInfos
        guard !infos.isEmpty else { return nil }
        let next = infos.partitioningIndex { $0.source.time > t }
        let hasNewest = next > infos.startIndex
        guard let end = end(at: t), end <= t else {
            return hasNewest
                ? RenewalInForce(next - 1, of: infos) : RenewalInForce(infos.startIndex, of: infos, isForeseen: true)
        }
        let isDecided = next == infos.endIndex || hasNewest && infos[next - 1].source.time >= end
        return RenewalInForce(isDecided ? next - 1 : next, of: infos)
    }

    /// Returns the newest renewal info by `t` that more than a password proves.
    package func provenRenewal(at t: Instant) -> Observed<RenewalFact>? {
        renewalInfos.last { $0.source.time <= t && $0.source.rank != .notificationV1 }
    }

    /// Returns the signed status in force at `t`. It is selected like the renewal info, but never foreseen.
    package func signedStatus(at t: Instant) -> SignedStatus? {
        let statuses = signedStatuses
        guard !statuses.isEmpty else { return nil }
        let next = statuses.partitioningIndex { $0.time > t }
        let newest = next > statuses.startIndex ? statuses[next - 1] : nil
        guard let end = end(at: t), end <= t else { return newest }
        if let newest, newest.time >= end { return newest }
        return next < statuses.endIndex ? statuses[next] : newest
    }

    /// Returns the signing time of the first renewal info in the latest run, signed by `t`, with auto-renew off. Nil
    /// when the newest states something else.
    package func autoRenewOffSince(at t: Instant) -> Instant? {
        let infos = renewalInfos
        let next = infos.partitioningIndex { $0.source.time > t }
        var first = next
        while first > infos.startIndex, infos[first - 1].value.autoRenewStatus == .off { first -= 1 }
        return first < next ? infos[first].source.time : nil
    }
}
