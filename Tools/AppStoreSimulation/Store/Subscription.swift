import AppStoreModel
import Primitives

/// The identifier of an auto-renewable subscription in a simulated App Store; one per original transaction id.
package struct SubscriptionID: Hashable, Sendable {
    /// The position in the store.
    let index: Int
}

struct Subscription: Sendable {
    enum Phase: Hashable, Sendable {
        case active
        case gracePeriod(until: Instant)
        case billingRetry
        case expired
        case revoked
    }

    struct PriceIncrease: Sendable {
        /// Milliunits in the storefront of the United States.
        let price: Int64
        var isAccepted: Bool
    }

    /// An offer with charges remaining.
    struct PendingOffer: Sendable {
        let offer: StoreOffer
        var charges: Int
    }

    var origin: PurchaseOrigin
    /// At least one, in the order of the charges. The period of the last may not have begun.
    var charges: [Charge]
    var phase = Phase.active
    var autoRenews = true
    var nextProduct: StoreProduct
    var nextOffer: PendingOffer?
    /// The customer's prices after price increases, by product id, where they differ from the catalogue's.
    var prices: [String: Int64] = [:]
    var priceIncrease: PriceIncrease?
    /// The token of the renewal info and of renewals.
    var appAccountToken: String?
    /// Replaces `appAccountToken` with the next renewal.
    var nextAppAccountToken: String?
    /// The newest token signed for it.
    var owner: String?
    var graceSignature = GraceSignature.documented
    /// The ids of the transactions whose refund was reversed.
    var reversedRefunds: Set<String> = []
    /// The signing date of a status 5 without a revocation.
    var statusRevokedAt: Instant?
    var expirationIntent: ExpirationIntent?
    /// Whether the customer turned auto-renewal off while the App Store was trying to collect.
    var hasGivenUpPaying = false
    var eligibleWinBackOfferIds: [String] = []
    /// The start of the latest service without a gap of more than 60 days.
    var recentStart: Instant
    /// The date of the next attempt to charge for the next period; nil after a declined one.
    var chargeDate: Instant?
    /// The family members' copies.
    var members: [SubscriptionID] = []
    var lastSignedDate: Instant?

    var group: String { newest.product.group ?? "" }
    var newest: Charge { charges[charges.count - 1] }
    var end: Instant { newest.expiresDate ?? newest.purchaseDate }

    /// Returns the index of the newest charge whose period has begun.
    func running(at instant: Instant) -> Int {
        charges.lastIndex { $0.purchaseDate <= instant } ?? 0
    }

    /// Whether the next period is already charged, and not refunded.
    func isRenewed(at instant: Instant) -> Bool {
        newest.purchaseDate > instant && newest.revocation == nil
    }

    /// Returns the product after the running period when it differs from the current one. It may already be charged.
    func pendingProductId(at instant: Instant) -> String? {
        let running = charges[running(at: instant)].product.id
        if isRenewed(at: instant) { return newest.product.id == running ? nil : newest.product.id }
        return autoRenews && nextProduct.id != running ? nextProduct.id : nil
    }

    /// The price of the next charge, in milliunits in the storefront of the United States.
    var nextPrice: Int64 {
        if let nextOffer { return nextOffer.offer.price }
        if let priceIncrease, nextProduct.id == newest.product.id { return priceIncrease.price }
        return prices[nextProduct.id] ?? nextProduct.price
    }

    var status: SubscriptionStatusCode {
        switch phase {
        case .active: .active
        case .gracePeriod: .gracePeriod
        case .billingRetry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        }
    }
}

/// The time for which the App Store tries to collect a failed renewal.
enum BillingRetry {
    static let days: Int64 = 60
}
