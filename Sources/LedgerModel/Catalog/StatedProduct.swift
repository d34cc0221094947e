package import AppStoreModel
package import Primitives

/// A product as transactions state it.
package struct StatedProduct: Hashable, Sendable {
    package let environment: Environment
    package let bundleId: Symbol
    package let id: Symbol
    /// Apple's subscriptionGroupIdentifier.
    package let group: Symbol?
    package let type: ProductType?

    package init(environment: Environment, bundleId: Symbol, id: Symbol, group: Symbol?, type: ProductType?) {
        self.environment = environment
        self.bundleId = bundleId
        self.id = id
        self.group = group
        self.type = type
    }
}
