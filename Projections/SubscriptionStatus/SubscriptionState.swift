package import AppStoreModel
package import LedgerModel
package import Primitives

/// The answer for one key at one instant: a row of `state`.
package struct SubscriptionState: Hashable, Sendable {
    package let key: SubscriptionKey
    /// The period that gives the product.
    package let period: PeriodName
    package let productId: String?
    package let subscriptionGroupIdentifier: String?
    /// Nil when the period is implied.
    package let transactionId: String?
    package let status: Status
    package let access: Access
    package let accessUntil: Instant?
    package let willRenew: Bool?
    package let pendingProductId: String?
    package let ownership: InAppOwnershipType?
    package let originalPurchaseDate: Instant
    package let purchasedAt: Instant
    package let expiresAt: Instant?
    package let gracePeriodExpiresAt: Instant?
    package let revokedAt: Instant?
    package let price: TransactionFact.Price?
    package let storefront: String?
    package let offer: TransactionFact.Offer?
    package let priceIncrease: PriceIncrease?
    package let autoRenewOffSince: Instant?
    package let billingIssueSince: Instant?
    package let commitment: Commitment?
    package let reason: Reason
    package let nextStep: NextStep
    /// The win-back offers of `nextStep` offerWinBack, best first.
    package let offerIds: [String]
    /// The names of the fields that rest on an inference, sorted.
    package let inferred: [String]
    package let historyIncomplete: Bool
    package let disagreement: Disagreement?
    package let decision: StatusDecision
    /// The positions it rests on, ascending.
    package let evidence: [Position]

    package var entitled: Bool { access != .none }
}

/// The name of a period: its first statement, and the basis on which that states it (a renewal signed early states its
/// own period and the one before).
package struct PeriodName: Hashable, Sendable {
    package let statement: ObservationName?
    package let basis: Period.Basis

    init(_ period: Period) {
        statement = period.sources.first?.name
        basis = period.basis
    }
}

extension Period {
    var name: PeriodName { PeriodName(self) }
}

/// The facts of a row that do not depend on the instant.
struct RowSurroundings {
    let originalPurchaseDate: Instant?
    let subscriptionGroupIdentifier: String?
    let historyIncomplete: Bool
    let disagreements: [Disagreement]
    /// Whether another subscription of the Apple account is entitled.
    var isActiveElsewhere = false

    /// - Parameter periods: those of the subscription that are listed.
    init(_ subscription: Subscription, in lineage: Lineage, periods: [Period], rules: Rules.Access) {
        originalPurchaseDate = subscription.originalPurchaseDate
        // Implied periods name no group; the others of the key do.
        subscriptionGroupIdentifier =
            periods.last { $0.subscriptionGroupIdentifier != nil }?.subscriptionGroupIdentifier
        historyIncomplete = lineage.isHistoryIncomplete
        disagreements = subscription.disagreements(periods, rules: rules)
    }
}

extension SubscriptionState {
    init(_ context: StatusContext, _ surroundings: RowSurroundings) {
        let (period, t) = (context.period, context.t)
        key = context.key
        self.period = period.name
        productId = period.productId
        subscriptionGroupIdentifier =
            period.subscriptionGroupIdentifier ?? surroundings.subscriptionGroupIdentifier
        transactionId = period.transactionId
        status = context.status
        access = context.access
        accessUntil = context.accessUntil
        willRenew = context.willRenew
        pendingProductId = context.pendingProductId
        ownership = period.inAppOwnershipType
        originalPurchaseDate = surroundings.originalPurchaseDate ?? context.periods.first?.start ?? period.start
        purchasedAt = period.start
        expiresAt = context.end
        gracePeriodExpiresAt = context.gracePeriodExpiresAt
        revokedAt = context.status == .revoked ? period.revocation(at: t)?.start : nil
        price = period.price
        storefront = period.storefront
        offer = period.offer
        priceIncrease = context.priceIncrease
        autoRenewOffSince = context.autoRenewOffSince
        billingIssueSince = [.gracePeriod, .billingRetry].contains(context.status) ? context.end : nil
        commitment = context.commitment
        reason = context.reason
        nextStep = context.nextStep(isActiveElsewhere: surroundings.isActiveElsewhere)
        offerIds = nextStep == .offerWinBack ? context.winBackOfferIds : []
        inferred = context.inferred
        historyIncomplete = surroundings.historyIncomplete
        disagreement = surroundings.disagreements.newest(signedBy: t)
        decision = context.decision
        evidence = context.evidence
    }
}

extension StatusContext {
    var gracePeriodExpiresAt: Instant? {
        if case .gracePeriod(let until) = decision { until } else { nil }
    }

    /// Every statement the row rests on: of the period and its end, of what ended or replaced it, of its renewal.
    fileprivate var evidence: [Position] {
        var sources = [period.sources.first, renewal?.statement.source]
        sources.append(period.expiresDate.value(at: t)?.statement.source)
        sources.append(period.revocation(at: t)?.source)
        sources.append(chargedRenewal?.sources.first)
        if period.isReplaced(at: t) { sources.append(period.replacement?.sources.first) }
        if restsOnSignedStatus { sources.append(signedStatus?.source) }
        return [Position](distinct: sources.compactMap(\.?.position))
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
    /// Ascending, each once.
    init(distinct positions: [Position]) {
        self = Set(positions).sorted()
    }
}
