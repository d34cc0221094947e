package import AppStoreSimulation
package import LedgerModel
import Primitives

extension CatalogHistory {
    /// Creates a catalogue with the products of a simulated store that are no consumables. Each gives the entitlement of
    /// its own name.
    package init(simulated store: StoreConfiguration) {
        var catalog = Catalog(bundleId: Symbol(store.bundleId))
        for product in store.catalog.products {
            guard let kind = CatalogProduct.Kind.allCases.first(where: { $0.type == product.type }), kind != .consumable
            else { continue }
            var described = CatalogProduct(id: Symbol(product.id), kind: kind)
            described.group = product.group.map { Symbol($0) }
            described.entitlements = [described.id]
            catalog.products.append(described)
        }
        self.init([CatalogChange(catalog, digest: .zero, recordedAt: .earliest, position: 0)])
    }
}
