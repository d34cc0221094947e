import AppStoreModel
import Primitives

/// An auto-renewable subscription in a simulated App Store: one original transaction id.
package struct SubscriptionID: Hashable, Sendable {
    /// Position in the store.
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

    /// An offer of which further charges are to come.
    struct PendingOffer: Sendable {
        let offer: StoreOffer
        var charges: Int
    }

    var origin: PurchaseOrigin
    /// In their order, at least one; the last may still be to begin.
    var charges: [Charge]
    var phase = Phase.active
    var autoRenews = true
    var nextProduct: StoreProduct
    var nextOffer: PendingOffer?
    /// Prices that this customer has come to pay, by product, where they differ from the catalogue's.
    var prices: [String: Int64] = [:]
    var priceIncrease: PriceIncrease?
    /// Of the next purchase and of the renewal info.
    var appAccountToken: String?
    /// Takes the place of `appAccountToken` with the next renewal.
    var nextAppAccountToken: String?
    /// The newest token signed of it.
    var owner: String?
    var graceSignature = GraceSignature.documented
    /// Transactions of which a refund was reversed.
    var reversedRefunds: Set<String> = []
    /// When status 5 was signed without a revocation.
    var statusRevokedAt: Instant?
    var expirationIntent: ExpirationIntent?
    var eligibleWinBackOfferIds: [String] = []
    /// Start of the latest run without a gap of more than 60 days.
    var recentStart: Instant
    /// When the App Store will try to charge for the next period; nil once it has.
    var chargeDate: Instant?
    /// The subscriptions of those it is shared with.
    var members: [SubscriptionID] = []
    var lastSignedDate: Instant?

    var group: String { newest.product.group ?? "" }
    var newest: Charge { charges[charges.count - 1] }
    var end: Instant { newest.expiresDate ?? newest.purchaseDate }

    /// The newest charge that has begun.
    func running(at instant: Instant) -> Int {
        charges.lastIndex { $0.purchaseDate <= instant } ?? 0
    }

    /// Whether the next period is charged already, and the charge stands.
    func isRenewed(at instant: Instant) -> Bool {
        newest.purchaseDate > instant && newest.revocation == nil
    }

    /// The product that takes over at the end of the running period, when it is another; it may be charged already.
    func pendingProductId(at instant: Instant) -> String? {
        let running = charges[running(at: instant)].product.id
        if isRenewed(at: instant) { return newest.product.id == running ? nil : newest.product.id }
        return autoRenews && nextProduct.id != running ? nextProduct.id : nil
    }

    /// Milliunits, in the storefront of the United States, of the next charge.
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

/// How long the App Store goes on trying to collect a failed renewal.
enum BillingRetry {
    static let milliseconds = 60 * Instant.millisecondsPerDay
}
