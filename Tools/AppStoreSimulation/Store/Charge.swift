import AppStoreModel
import Primitives

/// One transaction: a product, its price and its period.
struct Charge: Sendable {
    let transactionId: String
    /// Nil unless auto-renewable.
    let webOrderLineItemId: String?
    let product: StoreProduct
    let purchaseDate: Instant
    /// Nil unless auto-renewable.
    var expiresDate: Instant?
    let reason: TransactionReason
    let quantity: Int64
    /// Milliunits of the customer's currency for the whole quantity; nil for a family member's copy.
    let price: Int64?
    let offer: StoreOffer?
    var appAccountToken: String?
    /// Whether a plan change replaced it.
    var isUpgraded = false
    var revocation: Revocation?

    var isPaid: Bool { price ?? 0 > 0 }
}

extension Charge {
    /// Returns the purchase as restored on a device: a new transaction for the same line item.
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
    /// Milli-percent of the price; nil for the end of family sharing and for an unknown kind.
    let percentage: Int64?
}

/// The properties common to all transactions of one purchase history.
struct PurchaseOrigin: Sendable {
    let customer: CustomerID
    let originalTransactionId: String
    let originalPurchaseDate: Instant
    let ownership: InAppOwnershipType
    var previousOriginalTransactionId: String?
}

/// A purchase of anything but an auto-renewable, with its newest transaction. Buying it again after a refund replaces
/// the transaction.
struct OneTimePurchase: Sendable {
    struct Restoration: Sendable {
        let transactionId: String
        let date: Instant
    }

    let origin: PurchaseOrigin
    var charge: Charge
    /// The last restore on a device. Receipts state its transaction id and date in place of those of the purchase.
    var restoration: Restoration?
}

/// The identifier of a purchase of anything but an auto-renewable.
package struct PurchaseID: Hashable, Sendable {
    /// The position in the store.
    let index: Int
}
