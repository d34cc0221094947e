package import AppStoreModel
package import Primitives

/// A stretch of time that one purchase bought, [start, end), or one that Apple's other words imply.
package struct Period: Hashable, Sendable {
    package enum Basis: Sendable {
        /// Its transaction is known.
        case transaction
        /// A renewal info speaks of a purchase that no known transaction is.
        case renewalInfo
        /// A renewal signed before its purchaseDate was active by another period that is not known.
        case earlyRenewal
    }

    package let basis: Basis
    /// The oldest of the purchase's transactions (restores make further ones); nil when implied.
    package let transactionId: String?
    package let productId: String?
    package let type: ProductType?
    package let inAppOwnershipType: InAppOwnershipType?
    package let offer: TransactionFact.Offer?
    package let price: TransactionFact.Price?
    package let start: Instant
    /// Without steps for what does not end.
    package let expiresDate: StepField<Instant>
    package let revocations: [Revocation]
    /// Whether Apple marks it as replaced; `replacement` tells from when.
    package let isMarkedReplaced: Bool
    package internal(set) var replacement: Replacement?
    /// Every observation that states it, in the total order.
    package let sources: [Source]

    package var isKnown: Bool { basis == .transaction }

    /// Nil for what does not end. Otherwise expiresDate as observed up to `t`.
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
    var latestEnd: Instant? {
        expiresDate.steps.map(\.value).max()
    }

    /// By (start, end, transactionId); what does not end ends last. Implied periods have no transactionId, so of two
    /// over the same time the one stated first is the older: no two periods are ever equal here.
    package func isOlder(than other: Period, at t: Instant = .latest) -> Bool {
        if start != other.start { return start < other.start }
        let (end, otherEnd) = (end(at: t) ?? .latest, other.end(at: t) ?? .latest)
        if end != otherEnd { return end < otherEnd }
        let (id, otherId) = (transactionId ?? "", other.transactionId ?? "")
        if id != otherId { return id.bytesPrecede(otherId) }
        guard let source = sources.first, let otherSource = other.sources.first else { return false }
        return source.precedes(otherSource)
    }
}
