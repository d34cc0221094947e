import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

/// A row without positions: every field that must not depend on the order of arrival.
struct Answer: Hashable {
    let key: SubscriptionKey
    let period: PeriodName?
    let productId: String?
    let subscriptionGroupIdentifier: String?
    let transactionId: String?
    let status: Status
    let access: Access
    let accessUntil: Instant?
    let willRenew: Bool?
    let pendingProductId: String?
    let ownership: InAppOwnershipType?
    let originalPurchaseDate: Instant
    let purchasedAt: Instant
    let expiresAt: Instant?
    let gracePeriodExpiresAt: Instant?
    let revokedAt: Instant?
    let price: TransactionFact.Price?
    let storefront: String?
    let offer: TransactionFact.Offer?
    let priceIncrease: PriceIncrease?
    let autoRenewOffSince: Instant?
    let billingIssueSince: Instant?
    let commitment: Commitment?
    let reason: Reason
    let nextStep: NextStep
    let offerIds: [String]
    let renewalPrice: TransactionFact.Price?
    let inferred: [String]
    let historyIncomplete: Bool
    let disagreement: [String]?
    let decision: StatusDecision

    init(_ state: SubscriptionState) {
        key = state.key
        period = state.period
        productId = state.productId?.text
        subscriptionGroupIdentifier = state.subscriptionGroupIdentifier?.text
        transactionId = state.transactionId?.text
        status = state.status
        access = state.access
        accessUntil = state.accessUntil
        willRenew = state.willRenew
        pendingProductId = state.pendingProductId?.text
        ownership = state.ownership
        originalPurchaseDate = state.originalPurchaseDate
        purchasedAt = state.purchasedAt
        expiresAt = state.expiresAt
        gracePeriodExpiresAt = state.gracePeriodExpiresAt
        revokedAt = state.revokedAt
        price = state.price
        storefront = state.storefront?.text
        offer = state.offer
        priceIncrease = state.priceIncrease
        autoRenewOffSince = state.autoRenewOffSince
        billingIssueSince = state.billingIssueSince
        commitment = state.commitment
        reason = state.reason
        nextStep = state.nextStep
        offerIds = state.offerIds
        renewalPrice = state.renewalPrice
        inferred = state.inferred
        historyIncomplete = state.historyIncomplete
        disagreement = state.disagreement.map {
            [$0.signedDate.iso8601, $0.signed.rawValue, $0.folded.rawValue]
        }
        decision = state.decision
    }

    /// Returns the names of the fields that differ, with both values; empty if the answers are equal.
    func differences(from other: Answer?, except ignored: Set<String> = []) -> [String] {
        guard let other else { return ["listed"] }
        guard self != other else { return [] }
        return zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children).compactMap { left, right in
            let (name, value, otherValue) = (left.label ?? "", "\(left.value)", "\(right.value)")
            return ignored.contains(name) || value == otherValue ? nil : "\(name): \(value) <> \(otherValue)"
        }
    }
}

@Suite struct `An answer under test` {
    @Test func `has every field of a row but the positions`() throws {
        let row = try #require(state([bought()], at: hour(1)))
        let fields = Mirror(reflecting: row).children.compactMap(\.label)
        #expect(fields.filter { $0 != "evidence" } == Mirror(reflecting: Answer(row)).children.compactMap(\.label))
    }
}

/// A row of `history` without positions and recorded times.
struct Turn: Hashable {
    let at: Instant
    let change: [ChangeWord]
    let from: Answer?
    let to: Answer
    let cause: Cause

    init(_ transition: Transition) {
        at = transition.at
        change = transition.change
        from = transition.from.map(Answer.init)
        to = Answer(transition.to)
        cause = transition.cause
    }
}
