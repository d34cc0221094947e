import AppStoreModel
import LedgerModel
import Primitives

/// The fields of a state whose change creates a row of the history, as a follower sees them. The
/// transaction and the start identify the period.
package struct FollowedState: Hashable, Sendable {
    private let status: Status
    private let transactionId: AppleID?
    private let purchasedAt: Instant
    private let productId: Symbol?
    private let reason: Reason
    private let access: Access
    private let willRenew: Bool?
    private let pendingProductId: Symbol?
    private let expiresAt: Instant?
    private let gracePeriodExpiresAt: Instant?
    private let priceIncrease: PriceIncrease?

    package init(_ state: SubscriptionState) {
        status = state.status
        transactionId = state.transactionId
        purchasedAt = state.purchasedAt
        productId = state.productId
        reason = state.reason
        access = state.access
        willRenew = state.willRenew
        pendingProductId = state.pendingProductId
        expiresAt = state.expiresAt
        gracePeriodExpiresAt = state.gracePeriodExpiresAt
        priceIncrease = state.priceIncrease
    }

    init(_ context: StatusContext) {
        status = context.status
        transactionId = context.period.transactionId
        purchasedAt = context.period.start
        productId = context.period.productId
        reason = context.reason
        access = context.access
        willRenew = context.willRenew
        pendingProductId = context.pendingProductId
        expiresAt = context.end
        gracePeriodExpiresAt = context.gracePeriodExpiresAt
        priceIncrease = context.priceIncrease
    }

    /// The first 16 bytes of the SHA-256 of the fields; never 0.
    package var fingerprint: UInt128 {
        let fields = [
            status.rawValue, transactionId?.text, purchasedAt.text, productId?.text, reason.rawValue, access.rawValue,
            willRenew.map { $0 ? "true" : "false" }, pendingProductId?.text, expiresAt?.text,
            gracePeriodExpiresAt?.text,
            priceIncrease?.rawValue,
        ]
        var bytes: [UInt8] = []
        for field in fields {
            // Neither byte occurs in UTF-8 text.
            bytes.append(field == nil ? 0xFE : 0xFF)
            if let field { bytes += field.utf8 }
        }
        return max(1, Digest.sha256(of: bytes).firstHalf)
    }
}

extension Instant {
    fileprivate var text: String { "\(milliseconds)" }
}
