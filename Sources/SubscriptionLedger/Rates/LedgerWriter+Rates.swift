import Ingestion
package import LedgerAPI
package import LedgerConfiguration
import LedgerModel
package import Primitives

extension LedgerWriter {
    /// Applies exchange rates: they are added to those before, and replace those of the same currencies and day, in every
    /// answer that knows the appended event. Rates that change nothing are not applied again.
    ///
    /// - Returns: all rates afterwards.
    /// - Throws: `StorageError`.
    package func apply(_ file: RatesFile, source: EventSource = .operator) async throws -> RatesAnswer {
        let history = try reader.appliedRates.history(knownAt: try reader.knownSize(nil))
        var isAppended = false
        if !history.contains(file.rates) {
            let draft = RatesEvents.applied(
                file.rates, text: file.text, after: try reader.appliedRates.newestPosition(), source: source)
            isAppended = try await append(draft).isAppended
        }
        var answer = try reader.rates()
        answer.applied = isAppended
        return answer
    }
}
