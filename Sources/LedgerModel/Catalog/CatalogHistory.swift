package import AppStoreModel
package import Primitives

/// An event that replaces the catalogue of an app.
package struct CatalogChange: Hashable, Sendable {
    package let catalog: Catalog
    /// The SHA-256 of the text of the file.
    package let digest: Digest
    package let recordedAt: Instant
    package let position: Position

    package init(_ catalog: Catalog, digest: Digest, recordedAt: Instant, position: Position) {
        self.catalog = catalog
        self.digest = digest
        self.recordedAt = recordedAt
        self.position = position
    }
}

/// The catalogues that were applied to one app.
package struct CatalogHistory: Hashable, Sendable {
    /// Ordered by position.
    package let changes: [CatalogChange]
    /// The descriptions of each product of the newest catalogue, newest first.
    private let descriptions: [Symbol: [CatalogProduct]]

    /// - Parameter changes: the changes of one app in any order, each once.
    package init(_ changes: [CatalogChange] = []) {
        self.changes = changes.sorted { $0.position < $1.position }
        var descriptions: [Symbol: [CatalogProduct]] = [:]
        for product in self.changes.last?.catalog.products ?? [] { descriptions[product.id] = [] }
        for change in self.changes.reversed() {
            for product in change.catalog.products { descriptions[product.id]?.append(product) }
        }
        self.descriptions = descriptions
    }

    /// Returns the catalogues among the first `size` events.
    package func known(at size: Position) -> CatalogHistory {
        CatalogHistory(changes.filter { $0.position < size })
    }

    /// Returns the history with one more catalogue, as if it were applied at a position. It replaces one added there.
    package func adding(_ catalog: Catalog, at position: Position) -> CatalogHistory {
        let change = CatalogChange(catalog, digest: .zero, recordedAt: .latest, position: position)
        return CatalogHistory(changes.filter { $0.position != position } + [change])
    }

    /// The newest change; nil before the first one.
    package var newest: CatalogChange? { changes.last }

    /// The products of the newest catalogue.
    package var productIds: some Collection<Symbol> { descriptions.keys }

    /// The instants from which descriptions are in effect, in any order.
    package var effectiveDates: [Instant] { descriptions.values.flatMap { $0.compactMap(\.effectiveFrom) } }

    /// Returns the type of a product of the newest catalogue, also before its first description takes effect.
    package func type(of id: Symbol) -> ProductType? { descriptions[id]?.first?.kind.type }

    /// Returns the description of a product that is in effect at an instant; nil for a product that the newest
    /// catalogue does not have, and before its first description takes effect.
    ///
    /// A description that takes effect later leaves the one of the catalogue before in effect until then.
    package func product(_ id: Symbol, at instant: Instant) -> CatalogProduct? {
        descriptions[id]?.first { $0.effectiveFrom.map { $0 <= instant } ?? true }
    }
}
