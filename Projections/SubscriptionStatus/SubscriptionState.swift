package import AppStoreModel
package import LedgerModel
package import Primitives

/// The answer for one key at one instant: a row of `state`.
package struct SubscriptionState: Hashable, Sendable {
    package let key: SubscriptionKey
    /// The period that determines the product.
    package let period: PeriodName
    package let productId: Symbol?
    package let subscriptionGroupIdentifier: Symbol?
    /// Nil for an implied period.
    package let transactionId: AppleID?
    package let status: Status
    package let access: Access
    package let accessUntil: Instant?
    package let willRenew: Bool?
    package let pendingProductId: Symbol?
    package let ownership: InAppOwnershipType?
    package let originalPurchaseDate: Instant
    package let purchasedAt: Instant
    package let expiresAt: Instant?
    package let gracePeriodExpiresAt: Instant?
    package let revokedAt: Instant?
    package let price: TransactionFact.Price?
    package let storefront: Symbol?
    package let offer: TransactionFact.Offer?
    package let priceIncrease: PriceIncrease?
    package let autoRenewOffSince: Instant?
    package let billingIssueSince: Instant?
    package let commitment: Commitment?
    package let reason: Reason
    package let nextStep: NextStep
    /// The win-back offers for the `nextStep` offerWinBack, best first.
    package let offerIds: [String]
    /// The price of the next renewal, as the renewal info in force states it. It is no member of a row.
    package let renewalPrice: TransactionFact.Price?
    /// The names of the inferred fields, sorted.
    package let inferred: [String]
    package let historyIncomplete: Bool
    package let disagreement: Disagreement?
    package let decision: StatusDecision
    /// The positions of the supporting events, ascending.
    package let evidence: [Position]

    package var entitled: Bool { access != .none }
}

/// Identifies a period by its first statement and the basis of that statement. A renewal signed early states two
/// periods, its own and the one before.
package struct PeriodName: Hashable, Sendable {
    package let statement: ObservationName?
    package let basis: Period.Basis

    init(_ period: Period) {
        statement = period.firstSource?.name
        basis = period.basis
    }
}

extension Period {
    var name: PeriodName { PeriodName(self) }
}

/// The parts of a row that do not depend on the instant.
struct RowContext {
    let key: SubscriptionKey
    let originalPurchaseDate: Instant?
    let subscriptionGroupIdentifier: Symbol?
    let historyIncomplete: Bool
    let disagreements: [Disagreement]
    /// Whether another subscription of the Apple account is entitled.
    var isActiveElsewhere = false

    /// - Parameter periods: the listed periods of the subscription.
    init(_ subscription: Subscription, in lineage: Lineage, periods: [Period], rules: Rules.Access) {
        key = subscription.key
        originalPurchaseDate = subscription.originalPurchaseDate
        // An implied period without a predecessor has no group; the other periods of the key do.
        subscriptionGroupIdentifier =
            periods.last { $0.subscriptionGroupIdentifier != nil }?.subscriptionGroupIdentifier
        historyIncomplete = lineage.isHistoryIncomplete
        disagreements = subscription.disagreements(periods, rules: rules)
    }
}

extension SubscriptionState {
    init(_ context: StatusContext, _ rowContext: RowContext) {
        let (period, t) = (context.period, context.t)
        key = rowContext.key
        self.period = period.name
        productId = period.productId
        subscriptionGroupIdentifier =
            period.subscriptionGroupIdentifier ?? rowContext.subscriptionGroupIdentifier
        transactionId = period.transactionId
        status = context.status
        access = context.access
        accessUntil = context.accessUntil
        willRenew = context.willRenew
        pendingProductId = context.pendingProductId
        // A receipt does not say it.
        ownership = period.inAppOwnershipType ?? (period.isKnown ? .purchased : nil)
        originalPurchaseDate = rowContext.originalPurchaseDate ?? context.periods.first?.start ?? period.start
        purchasedAt = period.start
        expiresAt = context.end
        gracePeriodExpiresAt = context.gracePeriodExpiresAt
        revokedAt = context.status == .revoked ? period.revocation(at: t)?.start : nil
        price = period.price
        storefront = period.storefront
        offer = period.offer
        priceIncrease = context.priceIncrease
        autoRenewOffSince = context.autoRenewOffSince
        billingIssueSince = context.isBillingFailed ? context.end : nil
        commitment = context.commitment
        reason = context.reason
        nextStep = context.nextStep(isActiveElsewhere: rowContext.isActiveElsewhere)
        offerIds = nextStep == .offerWinBack ? context.winBackOfferIds : []
        renewalPrice = context.willRenew == false ? nil : context.renewal?.renewalPrice
        inferred = context.inferred(accessUntil: accessUntil)
        historyIncomplete = rowContext.historyIncomplete
        disagreement = rowContext.disagreements.newest(signedBy: t)
        decision = context.decision
        evidence = context.evidence
    }
}

extension StatusContext {
    var gracePeriodExpiresAt: Instant? {
        if case .gracePeriod(let until) = decision { until } else { nil }
    }

    fileprivate var isBillingFailed: Bool { status == .gracePeriod || status == .billingRetry }

    /// The positions of the statements that support the row: those of the period, its end, its revocation or
    /// replacement, and its renewal.
    fileprivate var evidence: [Position] {
        var positions: [Position] = []
        positions.reserveCapacity(4)
        func add(_ source: Source?) {
            if let source { positions.insert(distinct: source.position) }
        }
        add(period.firstSource)
        add(renewal?.source)
        add(period.statementOfEnd(at: t)?.statement.source)
        add(period.revocation(at: t)?.source)
        add(chargedRenewal?.firstSource)
        if period.isReplaced(at: t) { add(period.replacement?.sources.first) }
        if restsOnSignedStatus { add(signedStatus?.source) }
        return positions
    }

    private var restsOnSignedStatus: Bool {
        switch decision {
        case .signedGracePeriod: true
        case .periodEnded: signedStatus?.code.deniesRenewal ?? false
        default: false
        }
    }
}

extension [Position] {
    /// Adds a position to an ascending list of distinct ones.
    mutating func insert(distinct position: Position) {
        let index = partitioningIndex { $0 >= position }
        if index == endIndex || self[index] != position { insert(position, at: index) }
    }
}
