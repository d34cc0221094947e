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

    /// Folds pass periods around far more often than they change one, so copies share the fields.
    private var content: Shared<Content>

    init(_ content: Content) {
        self.content = Shared(content)
    }

    mutating func update(_ change: (inout Content) -> Void) {
        Shared.update(&content, change)
    }

    package var basis: Basis { content.value.basis }
    /// The name of the purchase; nil for an implied period.
    package var purchaseName: PurchaseName? { content.value.name }
    /// The oldest transaction of the purchase (a restore adds another); nil for an implied period.
    package var transactionId: AppleID? { content.value.transactionId }
    package var productId: Symbol? { content.value.productId }
    package var subscriptionGroupIdentifier: Symbol? { content.value.subscriptionGroupIdentifier }
    package var type: ProductType? { content.value.type }
    package var inAppOwnershipType: InAppOwnershipType? { content.value.inAppOwnershipType }
    package var transactionReason: TransactionReason? { content.value.transactionReason }
    package var offer: TransactionFact.Offer? { content.value.offer }
    package var price: TransactionFact.Price? { content.value.price }
    package var storefront: Symbol? { content.value.storefront }
    package var commitment: TransactionFact.Commitment? { content.value.commitment }
    package var start: Instant { content.value.start }
    /// The stated ends, each from the signing of its statement on. No steps for a period that does not end.
    package var expiresDate: StepFunction<Instant> { content.value.expiresDate }
    package var revocations: [Revocation] { content.value.revocations }
    /// Whether a copy of its transaction is marked isUpgraded. `replacement` has the instant from which another
    /// purchase counts.
    package var isMarkedUpgraded: Bool { content.value.isMarkedUpgraded }
    package var replacement: Replacement? { content.value.replacement }
    /// All observations that state the period, in the total order.
    package var sources: [Source] { Array(sourceList) }
    var sourceList: ShortList<Source> { content.value.sources }
    package var firstSource: Source? { content.value.sources.first }
    /// The renewal infos that describe the period, in ascending order of precedence.
    package var renewalInfos: ArraySlice<Observed<RenewalFact>> { content.value.renewalInfos }
    /// The statuses that Apple signed about the period, in the order of their evidence.
    package var signedStatuses: ArraySlice<SignedStatus> { content.value.signedStatuses }

    /// Calls `body` with the signing time of every statement of the period.
    package func forEachStatementTime(_ body: (Instant) -> Void) {
        for index in sourceList.indices { body(sourceList[index].time) }
    }

    /// Calls `body` with the time of each statement of an end, and the end.
    package func forEachStatedEnd(_ body: (_ stated: Instant, _ end: Instant) -> Void) {
        let statements = content.value.expiresDate.statements
        for index in statements.indices { body(statements[index].source.time, statements[index].value) }
    }

    package var isKnown: Bool { basis == .transaction }
    package var hasEnd: Bool { content.value.expiresDate.statements.first != nil }

    /// The time at which Apple first signed a statement of the period or a renewal info that describes it. A renewal is
    /// charged up to 24 hours before it starts.
    package var firstStatedAt: Instant {
        guard let source = firstSource?.time else { return renewalInfos.first?.source.time ?? start }
        return min(source, renewalInfos.first?.source.time ?? source)
    }

    // The next three read generic collections for other modules, in which they are not specialized.

    package var renewalInfoDigests: [Digest] { renewalInfos.map(\.source.name.digest) }
    package var gracePeriodEnds: [Instant] { renewalInfos.compactMap(\.value.gracePeriodExpiresDate) }

    /// Returns the statement of the newest end stated by `t`; before any is stated, that of the first, which is
    /// inferred. Nil for a period that does not end.
    package func statementOfEnd(at t: Instant) -> (statement: Observed<Instant>, isInferred: Bool)? {
        content.value.expiresDate.value(at: t)
    }

    /// Returns the newest end stated by `t`, or the first end before any is stated. Nil for a period that does not end.
    package func end(at t: Instant) -> Instant? {
        content.value.expiresDate.value(at: t)?.statement.value
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
        let statements = content.value.expiresDate.statements
        guard var latest = statements.first?.value else { return nil }
        for index in 1..<statements.count { latest = max(latest, statements[index].value) }
        return latest
    }
}

extension Period {
    struct Content: Hashable, Sendable {
        var basis: Basis
        var name: PurchaseName?
        var transactionId: AppleID?
        var productId: Symbol?
        var subscriptionGroupIdentifier: Symbol?
        var type: ProductType?
        var inAppOwnershipType: InAppOwnershipType?
        var transactionReason: TransactionReason?
        var offer: TransactionFact.Offer?
        var price: TransactionFact.Price?
        var storefront: Symbol?
        var commitment: TransactionFact.Commitment?
        var start: Instant
        var expiresDate: StepFunction<Instant>
        var revocations: [Revocation]
        var isMarkedUpgraded: Bool
        var replacement: Replacement?
        var sources: ShortList<Source>
        var renewalInfos: ArraySlice<Observed<RenewalFact>> = []
        var signedStatuses: ArraySlice<SignedStatus> = []
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
        if transactionId != other.transactionId {
            guard let transactionId, let otherId = other.transactionId else { return transactionId == nil }
            return transactionId.isSmaller(than: otherId)
        }
        guard let source = firstSource, let otherSource = other.firstSource else { return false }
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
