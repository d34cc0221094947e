import AppStoreModel
import FactStore
package import LedgerAPI
import LedgerModel
import Primitives

extension LedgerReader {
    /// Returns the newest catalogue of each app, with the products that transactions state and the catalogue lacks.
    /// - Throws: `KnownAtAhead`; `StorageError`.
    /// - Complexity: O(n) for n facts.
    package func catalogs(_ knownAt: AsOfQuery.KnownAt? = nil) throws -> CatalogAnswer {
        let size = try knownSize(knownAt)
        let changes = try catalogHistories(knownAt: size).values.compactMap(\.newest)
            .sorted { $0.catalog.bundleId.text < $1.catalog.bundleId.text }
        let products = changes.map { Set($0.catalog.products.map(\.id)) }
        let byApp = Dictionary(uniqueKeysWithValues: zip(changes.map(\.catalog.bundleId), products))
        let stated = try facts.snapshot(knownAt: size).statedProducts { product in
            byApp[product.bundleId].map { !$0.contains(product.id) } ?? false
        }
        return CatalogAnswer(
            applied: nil, knownAt: size,
            catalogs: changes.map { CatalogRow($0, CatalogCheck($0.catalog, stated: stated)) })
    }

    /// Returns the catalogues of each app among the first `size` events.
    func catalogHistories(knownAt size: Position) throws -> [Symbol: CatalogHistory] {
        try appliedCatalogs.histories(knownAt: size)
    }
}

extension CatalogRow {
    init(_ change: CatalogChange, _ check: CatalogCheck) {
        self.init(
            digest: change.digest, position: change.position, appliedAt: change.recordedAt,
            catalog: change.catalog.json,
            unknownProducts: check.unknown.map { unknown in
                UnknownProductRow(
                    productId: unknown.product.id.text, environment: unknown.product.environment.rawValue,
                    type: unknown.product.type?.rawValue, group: unknown.product.group?.text,
                    originalTransactionIds: unknown.keyCount)
            })
    }
}
