package import Primitives

/// The products of an app as its owner describes them: durations, groups, offers, and the entitlements that they give.
///
/// Apple signs none of this. Ids are unique, products name groups of the catalogue, and each product has at most one
/// introductory offer; the reader of the file refuses anything else.
package struct Catalog: Hashable, Sendable {
    package struct Group: Hashable, Sendable {
        /// Apple's subscriptionGroupIdentifier.
        package var id: Symbol
        /// A name for people, which decides nothing.
        package var name: String?

        package init(id: Symbol, name: String? = nil) {
            (self.id, self.name) = (id, name)
        }
    }

    /// The version of an app with a price from which on the app was free.
    package struct PaidUntil: Hashable, Sendable {
        /// The first originalApplicationVersion that was free. Components are compared as numbers.
        package var version: String?
        /// The instant from which the app was free.
        package var date: Instant?
        /// The entitlements of those who paid for the app.
        package var entitlements: [Symbol]

        package init(version: String? = nil, date: Instant? = nil, entitlements: [Symbol]) {
            (self.version, self.date, self.entitlements) = (version, date, entitlements)
        }
    }

    package var bundleId: Symbol
    package var groups: [Group] = []
    package var products: [CatalogProduct] = []
    package var paidUntil: PaidUntil?

    package init(bundleId: Symbol) {
        self.bundleId = bundleId
    }

    package func product(_ id: Symbol) -> CatalogProduct? { products.first { $0.id == id } }
}
