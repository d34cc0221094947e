package import SubscriptionLedger

/// An export that continues the newest one at its destination.
package struct ContinuedExport {
    private let reader: LedgerReader
    private let request: ExportRequest
    private let newest: ExportBase?

    /// - Parameters:
    ///   - request: without a base.
    ///   - newest: nil for none.
    package init(of newest: ExportBase?, _ reader: LedgerReader, _ request: ExportRequest) {
        (self.newest, self.reader, self.request) = (newest, reader, request)
    }

    /// Writes the differences from the newest export; everything without one, and after one with other options. After
    /// the newest one itself, there is nothing to write.
    /// - Throws: as `Exporter`; `ExportGap` also for a destination with exports of another ledger.
    package func export(to destination: some ExportDestination) async throws -> CompletedExport {
        let whole = try Exporter(reader, request)
        guard let newest else { return try await whole.export(to: destination) }
        guard newest.origin == whole.plan.origin else {
            throw ExportGap(
                "the destination has the exports of another ledger", expected: whole.plan.origin, found: newest.origin)
        }
        guard newest.options == ExportBase.options(whole.plan.members) else {
            return try await whole.export(to: destination)
        }
        var continued = request
        continued.base = newest
        let exporter = try Exporter(reader, continued)
        if newest.hasRows(of: exporter.plan) { return CompletedExport(newest, in: destination) }
        return try await exporter.export(to: destination)
    }
}
