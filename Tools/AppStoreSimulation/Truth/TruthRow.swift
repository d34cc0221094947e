package import AppStoreModel
package import Primitives

/// What is so of one purchase at one instant, as the App Store would say it.
package struct TruthRow: Hashable, Sendable {
    package let environment: Environment
    package let bundleId: String
    package let originalTransactionId: String
    package let customer: Int
    package let ownership: InAppOwnershipType
    package let state: TruthState
    /// Whole days of paid service in the subscription group up to the instant; see `PaidService`.
    package let paidDays: Int64
}

package enum TruthStatus: String, Hashable, Sendable {
    case active, expired, billingRetry, gracePeriod, revoked
}

package struct TruthState: Hashable, Sendable {
    package var productId: String
    package var status: TruthStatus
    /// The end of what has been charged, or of the newest period when none covers the instant; nil for ever.
    package var expiresAt: Instant?
    package var willRenew: Bool
    /// The product that takes over with the next period, when it is another.
    package var pendingProductId: String?
    package var revokedAt: Instant?
    /// The transaction with which the account used up the introductory offer of the group.
    package var introConsumedBy: String?

    package init(
        productId: String, status: TruthStatus, expiresAt: Instant?, willRenew: Bool, pendingProductId: String? = nil,
        revokedAt: Instant? = nil, introConsumedBy: String? = nil
    ) {
        self.productId = productId
        self.status = status
        self.expiresAt = expiresAt
        self.willRenew = willRenew
        self.pendingProductId = pendingProductId
        self.revokedAt = revokedAt
        self.introConsumedBy = introConsumedBy
    }
}
