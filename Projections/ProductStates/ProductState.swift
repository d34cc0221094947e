package import LedgerModel
package import Primitives

/// Whether a customer bought a product, and whether it entitles them now.
package enum ProductState: String, Comparable, Sendable {
    /// No purchase had begun.
    case new
    /// A purchase of it entitled the customer earlier, or was refunded or replaced.
    case inactive
    case active

    package static func < (left: ProductState, right: ProductState) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .new: 0
        case .inactive: 1
        case .active: 2
        }
    }
}

/// The state of a product for one customer.
package struct ProductStateRow: Hashable, Sendable {
    package let product: ProductName
    /// The subscription group of the catalogue, else of the transactions.
    package let group: Symbol?
    package let state: ProductState
    /// The best code of the customer's subscriptions of the product; nil for a new product and for one that is no
    /// subscription.
    package let code: EntitlementCode?
}

/// The state of a subscription group for one customer: the best of its products' states.
package struct GroupStateRow: Hashable, Sendable {
    package let bundleId: Symbol
    package let group: Symbol
    package let state: ProductState
}
