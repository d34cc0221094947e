package import Primitives

/// The name of a product, which is unique in an app.
package struct ProductName: Hashable, Comparable, Sendable {
    package let bundleId: Symbol
    package let productId: Symbol

    package init(_ bundleId: Symbol, _ productId: Symbol) {
        (self.bundleId, self.productId) = (bundleId, productId)
    }

    package static func < (left: ProductName, right: ProductName) -> Bool {
        (left.bundleId.text, left.productId.text) < (right.bundleId.text, right.productId.text)
    }
}
