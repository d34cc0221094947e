package import Primitives

package enum TruthStatus: String, Hashable, Sendable {
    case active, expired, billingRetry, gracePeriod, revoked
}

/// The true state of one purchase at one instant.
package struct TruthState: Hashable, Sendable {
    /// The product of the newest period that has begun.
    package var productId: String
    package var status: TruthStatus
    /// The end of that period; nil when it never ends.
    package var expiresAt: Instant?
    /// True while the next period is already charged. Nil when unknown, for an app without notifications.
    package var willRenew: Bool?
    /// The product of the next period, when it differs.
    package var pendingProductId: String?
    package var revokedAt: Instant?
    /// The app account token that owns the purchase: the newest one signed for it.
    package var owner: String?
    /// The transaction with which the account used up the introductory offer of the group.
    package var introConsumedBy: String?

    package init(
        productId: String, status: TruthStatus, expiresAt: Instant?, willRenew: Bool?, pendingProductId: String? = nil,
        revokedAt: Instant? = nil, owner: String? = nil, introConsumedBy: String? = nil
    ) {
        self.productId = productId
        self.status = status
        self.expiresAt = expiresAt
        self.willRenew = willRenew
        self.pendingProductId = pendingProductId
        self.revokedAt = revokedAt
        self.owner = owner
        self.introConsumedBy = introConsumedBy
    }

    /// Whether the customer has the service.
    package var isEntitled: Bool { status == .active || status == .gracePeriod }
}

extension TruthState {
    /// Creates the state of a subscription from the App Store's own records.
    /// - Parameter isRenewalKnown: whether Apple informs the app about the next renewal.
    init(_ subscription: Subscription, at now: Instant, isRenewalKnown: Bool, introConsumedBy: String?) {
        let running = subscription.charges[subscription.running(at: now)]
        let status: TruthStatus =
            switch subscription.phase {
            case .active: .active
            case .gracePeriod: .gracePeriod
            case .billingRetry: .billingRetry
            case .expired: .expired
            case .revoked: .revoked
            }
        let isOver = status == .expired || status == .revoked
        let isRenewed = subscription.isRenewed(at: now)
        self.init(
            productId: running.product.id, status: status, expiresAt: running.expiresDate,
            willRenew: isOver ? false : isRenewed ? true : isRenewalKnown ? subscription.autoRenews : nil,
            pendingProductId: isOver || !isRenewed && !isRenewalKnown ? nil : subscription.pendingProductId(at: now),
            revokedAt: status == .revoked ? running.revocation?.date ?? subscription.statusRevokedAt : nil,
            owner: subscription.owner, introConsumedBy: introConsumedBy)
    }

    /// Creates the state of a non-consumable.
    init(_ purchase: OneTimePurchase) {
        let revocation = purchase.charge.revocation
        self.init(
            productId: purchase.charge.product.id, status: revocation == nil ? .active : .revoked, expiresAt: nil,
            willRenew: false, revokedAt: revocation?.date, owner: purchase.charge.appAccountToken)
    }
}
