package import AppStoreModel
package import Primitives

/// The time [start, end) that one purchase paid for or that a signed statement implies.
package struct Period: Hashable, Sendable {
    package enum Basis: Sendable {
        /// Its transaction is known.
        case transaction
        /// A renewal info speaks of a purchase whose transaction is not known.
        case renewalInfo
        /// A renewal signed before its purchaseDate renews a period that is not known.
        case earlyRenewal
    }

    package let basis: Basis
    /// The oldest of the purchase's transactions (a restore adds another); nil when implied.
    package let transactionId: String?
    package let productId: String?
    package let subscriptionGroupIdentifier: String?
    package let type: ProductType?
    package let inAppOwnershipType: InAppOwnershipType?
    package let transactionReason: TransactionReason?
    package let offer: TransactionFact.Offer?
    package let price: TransactionFact.Price?
    package let storefront: String?
    package let commitment: TransactionFact.Commitment?
    package let start: Instant
    /// The ends stated, each from the signing of its statement on. Without steps for what does not end.
    package internal(set) var expiresDate: StepField<Instant>
    package internal(set) var revocations: [Revocation]
    /// Whether a copy of its transaction carries isUpgraded; `replacement` says from when another purchase counts.
    package let isMarkedUpgraded: Bool
    package internal(set) var replacement: Replacement?
    /// Every observation that states it, in the total order.
    package let sources: [Source]
    /// The renewal infos that speak of it, in the order in which they count.
    package internal(set) var renewalInfos: [Observed<RenewalFact>] = []
    /// The statuses that Apple signed about it, in the order of their evidence.
    package internal(set) var signedStatuses: [SignedStatus] = []

    package var isKnown: Bool { basis == .transaction }

    /// The time Apple first signed a statement of it, or a renewal info that speaks of it: a renewal is charged up to 24
    /// hours before it starts.
    package var firstStatedAt: Instant {
        guard let source = sources.first?.time else { return renewalInfos.first?.source.time ?? start }
        return min(source, renewalInfos.first?.source.time ?? source)
    }

    /// The newest end stated by `t`; before the first statement the first. Nil for what does not end.
    package func end(at t: Instant) -> Instant? {
        expiresDate.value(at: t)?.statement.value
    }

    package func covers(_ t: Instant) -> Bool {
        guard start <= t else { return false }
        guard let end = end(at: t) else { return true }
        return t < end
    }

    /// The newest statement of a revocation in force at `t`.
    package func revocation(at t: Instant) -> Revocation? {
        revocations.last { $0.covers(t) }
    }

    package func isReplaced(at t: Instant) -> Bool {
        guard let replacement else { return false }
        return replacement.start <= t
    }

    /// The greatest end ever stated.
    package var latestEnd: Instant? {
        expiresDate.steps.lazy.map(\.value).max()
    }

    /// Whether any end ever stated is the same date as `instant`.
    func ends(joining instant: Instant) -> Bool {
        expiresDate.steps.contains { $0.value.isSame(as: instant) }
    }
}

extension Period {
    /// The order of purchase without its exception (`Subscription.latest`): by (start, end, transactionId), where what
    /// does not end ends last. Implied periods have no transactionId; of two over the same time the one stated first
    /// is the older.
    package func isOlder(than other: Period) -> Bool {
        if start != other.start { return start < other.start }
        let (end, otherEnd) = (latestEnd ?? .latest, other.latestEnd ?? .latest)
        if end != otherEnd { return end < otherEnd }
        let (id, otherId) = (transactionId ?? "", other.transactionId ?? "")
        if id != otherId { return id.bytesPrecede(otherId) }
        guard let source = sources.first, let otherSource = other.sources.first else { return false }
        return source.precedes(otherSource)
    }
}
