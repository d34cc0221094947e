package import AppStoreModel
package import Primitives

/// The time [start, end) that one purchase paid for or that a signed statement implies.
package struct Period: Hashable, Sendable {
    package enum Basis: Sendable {
        /// The transaction is known.
        case transaction
        /// A renewal info describes a purchase whose transaction is not known.
        case renewalInfo
        /// A renewal signed before its purchaseDate renews an unknown period.
        case earlyRenewal
    }

    package let basis: Basis
    /// The oldest transaction of the purchase (a restore adds another); nil for an implied period.
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
    /// The stated ends, each from the signing of its statement on. No steps for a period that does not end.
    package internal(set) var expiresDate: StepFunction<Instant>
    package internal(set) var revocations: [Revocation]
    /// Whether a copy of its transaction is marked isUpgraded. `replacement` has the instant from which another
    /// purchase counts.
    package let isMarkedUpgraded: Bool
    package internal(set) var replacement: Replacement?
    /// All observations that state the period, in the total order.
    package let sources: [Source]
    /// The renewal infos that describe the period, in ascending order of precedence.
    package internal(set) var renewalInfos: [Observed<RenewalFact>] = []
    /// The statuses that Apple signed about the period, in the order of their evidence.
    package internal(set) var signedStatuses: [SignedStatus] = []

    package var isKnown: Bool { basis == .transaction }

    /// The time at which Apple first signed a statement of the period or a renewal info that describes it. A renewal is
    /// charged up to 24 hours before it starts.
    package var firstStatedAt: Instant {
        guard let source = sources.first?.time else { return renewalInfos.first?.source.time ?? start }
        return min(source, renewalInfos.first?.source.time ?? source)
    }

    /// Returns the newest end stated by `t`, or the first end before any is stated. Nil for a period that does not end.
    package func end(at t: Instant) -> Instant? {
        expiresDate.value(at: t)?.statement.value
    }

    package func covers(_ t: Instant) -> Bool {
        guard start <= t else { return false }
        guard let end = end(at: t) else { return true }
        return t < end
    }

    /// Returns the revocation in force at `t`, the one stated last.
    package func revocation(at t: Instant) -> Revocation? {
        revocations.last { $0.covers(t) }
    }

    package func isReplaced(at t: Instant) -> Bool {
        guard let replacement else { return false }
        return replacement.start <= t
    }

    /// The latest end ever stated.
    package var latestEnd: Instant? {
        expiresDate.steps.lazy.map(\.value).max()
    }

    /// Whether any end ever stated is the same date as `instant`.
    func ends(joining instant: Instant) -> Bool {
        expiresDate.steps.contains { $0.value.isSame(as: instant) }
    }
}

extension Period {
    /// Whether the period precedes another in the order of purchase: (start, end, transactionId), without the exception
    /// of `latest(begunBy:decidedBy:)`. A period that does not end is the last. Implied periods have no transactionId;
    /// of two over the same time, the one stated first is older.
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

extension Instant {
    /// The tolerance within which two dates are the same, in milliseconds.
    package static let joinTolerance: Int64 = 1_000

    package func isSame(as other: Instant) -> Bool {
        advanced(byMilliseconds: Self.joinTolerance) >= other
            && other.advanced(byMilliseconds: Self.joinTolerance) >= self
    }
}
