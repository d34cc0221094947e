import Dispatch
import FactStore
import Ingestion
package import LedgerAPI
package import LedgerConfiguration
import LedgerModel
import LedgerStorage
package import Primitives

extension LedgerWriter {
    /// Applies a catalogue: it replaces that of the same app in every answer that knows the appended event. A catalogue
    /// that equals the newest one is not applied again.
    ///
    /// - Returns: the catalogues of all apps afterwards.
    /// - Throws: `ConfigurationError` `catalog_invalid`, with line and column, for a product whose type or group
    ///   contradicts every transaction of it; `StorageError`.
    package func apply(_ file: CatalogFile, source: EventSource = .operator) async throws -> CatalogAnswer {
        let size = try reader.knownSize(nil)
        let check = try await DispatchQueue.global().run { [reader] in
            let stated = try reader.facts.snapshot(knownAt: size).statedProducts { _ in false }
            return CatalogCheck(file.catalog, stated: stated)
        }
        if let contradiction = check.contradictions.first { throw file.error(contradiction) }
        let newest = try reader.catalogHistories(knownAt: size)[file.catalog.bundleId]?.newest
        var isAppended = false
        if newest?.catalog != file.catalog {
            let draft = CatalogEvents.applied(
                file.catalog, text: file.text, after: try reader.appliedCatalogs.newestPosition(), source: source)
            isAppended = try await append(draft).isAppended
        }
        var answer = try reader.catalogs()
        answer.applied = isAppended
        return answer
    }
}
