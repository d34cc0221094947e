import LedgerModel
import Primitives

/// One purchase history's use of a product at an instant.
struct ProductUse: Sendable {
    let product: ProductName
    /// The subscription group that transactions state.
    let group: Symbol?
    let key: SubscriptionKey
    let isActive: Bool
    /// The end of an active use if nothing further is heard; nil if it does not end.
    let until: Instant?
    /// Nil for a product that is no auto-renewable subscription.
    var code: EntitlementCode?
    /// The entitlements that an active use gives.
    var entitlements: [Symbol] = []

    init(_ key: SubscriptionKey, _ productId: Symbol, group: Symbol? = nil, isActive: Bool, until: Instant? = nil) {
        product = ProductName(key.bundle, productId)
        self.group = group
        self.key = key
        self.isActive = isActive
        self.until = isActive ? until : nil
    }
}
