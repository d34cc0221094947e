import LedgerModel
import Primitives
import SubscriptionStatus

/// A property of purchases by which answers are divided.
package enum PurchaseCut: String, Sendable, CaseIterable {
    case product, group, storefront, offer, duration

    /// Returns the value for a purchase; nil where it has none or it is not known.
    package func value(of purchase: SubscriptionPurchase, in unit: PurchaseUnit) -> String? {
        switch self {
        case .product: purchase.productId?.text
        case .group: unit.group?.text
        case .storefront: purchase.storefront?.text
        case .offer: purchase.offer?.name
        case .duration: purchase.duration?.description
        }
    }
}
