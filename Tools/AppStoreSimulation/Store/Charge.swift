import AppStoreModel
import Primitives

/// One transaction: what a customer paid, for which time.
struct Charge: Sendable {
    let transactionId: String
    /// Auto-renewables only.
    let webOrderLineItemId: String?
    let product: StoreProduct
    let purchaseDate: Instant
    /// Auto-renewables only.
    var expiresDate: Instant?
    let reason: TransactionReason
    let quantity: Int64
    /// Milliunits of the customer's currency for the whole quantity; nil for what is shared, which nobody pays.
    let price: Int64?
    let offer: StoreOffer?
    var appAccountToken: String?
    /// An upgrade has taken its place.
    var isUpgraded = false
    var revocation: Revocation?

    var isPaid: Bool { price ?? 0 > 0 }
}

extension Charge {
    /// The same purchase as a device restores it: a transaction of its own for the same line item.
    func restored(as transactionId: String, at instant: Instant) -> Charge {
        var restored = Charge(
            transactionId: transactionId, webOrderLineItemId: webOrderLineItemId, product: product,
            purchaseDate: instant, expiresDate: expiresDate, reason: reason, quantity: quantity, price: price,
            offer: offer)
        restored.appAccountToken = appAccountToken
        return restored
    }
}

struct Revocation: Sendable {
    let date: Instant
    let reason: RevocationReason
    let type: RevocationType
    /// Milli-percent; nil for what is shared.
    let percentage: Int64?
}

/// What all transactions of one purchase history have in common.
struct PurchaseOrigin: Sendable {
    let customer: CustomerID
    let originalTransactionId: String
    let originalPurchaseDate: Instant
    let ownership: InAppOwnershipType
    var previousOriginalTransactionId: String?
}

/// Anything but an auto-renewable: one transaction, and another each time it is bought again after a refund.
struct OneTimePurchase: Sendable {
    let origin: PurchaseOrigin
    var charge: Charge
}

/// A purchase of anything but an auto-renewable.
package struct PurchaseID: Hashable, Sendable {
    /// Position in the store.
    let index: Int
}
