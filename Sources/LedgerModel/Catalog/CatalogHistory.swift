package import Primitives

/// The catalogues that were applied to one app.
package struct CatalogHistory: Hashable, Sendable {
    /// An event that replaces the catalogue of the app.
    package struct Change: Hashable, Sendable {
        package let catalog: Catalog
        package let position: Position

        package init(_ catalog: Catalog, position: Position) {
            (self.catalog, self.position) = (catalog, position)
        }
    }

    /// Ordered by position.
    private let changes: [Change]

    /// - Parameter changes: the changes of one app in any order, each once.
    package init(_ changes: [Change] = []) {
        self.changes = changes.sorted { $0.position < $1.position }
    }

    /// Returns the catalogues among the first `size` events.
    package func known(at size: Position) -> CatalogHistory {
        CatalogHistory(changes.filter { $0.position < size })
    }

    /// The newest catalogue; nil before the first one.
    package var newest: Catalog? { changes.last?.catalog }

    /// Returns the description of a product that is in effect at an instant; nil for a product that the newest
    /// catalogue does not have, and before its first description takes effect.
    ///
    /// A description that takes effect later leaves the one of the catalogue before in effect until then.
    /// - Complexity: O(n) for the products of the catalogues.
    package func product(_ id: Symbol, at instant: Instant) -> CatalogProduct? {
        guard newest?.product(id) != nil else { return nil }
        return changes.lazy.reversed().compactMap { $0.catalog.product(id) }
            .first { $0.effectiveFrom.map { $0 <= instant } ?? true }
    }
}
