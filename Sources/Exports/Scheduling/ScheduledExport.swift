package import LedgerConfiguration
import LedgerModel
import Primitives
import SubscriptionLedger

/// An export that runs every day.
package struct ScheduledExport: Sendable {
    package let name: String
    package let schedule: DailySchedule
    /// Without an instant, a size and a base.
    private let request: ExportRequest
    private let destination: any ExportDestination

    package init(
        _ name: String, _ schedule: DailySchedule, _ request: ExportRequest, to destination: any ExportDestination
    ) {
        (self.name, self.schedule, self.request, self.destination) = (name, schedule, request, destination)
    }

    /// The address of its destination, without secrets.
    package var place: String { destination.address(of: "") }

    /// Runs the export of one instant of the schedule. The instant and the events recorded by then decide its bytes, not
    /// the time of the run.
    /// - Parameters:
    ///   - size: the number of events that were recorded at `slot` or before.
    ///   - last: the run before; nil for none.
    /// - Throws: as `Exporter`.
    func run(_ slot: Instant, size: Position, after last: CompletedSlot?, _ reader: LedgerReader) async throws
        -> CompletedExport
    {
        var request = request
        (request.asOf, request.size) = (slot, size)
        let newest = try await newestExport(after: last)
        if let newest, newest.isBeyond(slot, size) { return CompletedExport(newest, in: destination) }
        do {
            return try await ContinuedExport(of: newest, reader, request).export(to: destination)
        } catch let gap as ExportGap {
            // The export before is no base any more, for example after a restored backup. Where somebody else exported
            // meanwhile, a later run continues that.
            guard let newest, newest.origin == reader.origin,
                try await newestExport(after: last)?.digest == newest.digest
            else { throw gap }
            return try await Exporter(reader, request).export(to: destination)
        }
    }

    /// Returns the newest export of the destination, or else that of the run before, if it is still there.
    private func newestExport(after last: CompletedSlot?) async throws -> ExportBase? {
        if let newest = try await destination.newestExport() { return newest }
        guard let last, last.place == place else { return nil }
        let bytes = try await destination.read(last.manifest, limit: ExportBase.limit)
        return bytes.flatMap { ExportBase($0, manifest: last.manifest) }.flatMap { $0.digest == last.digest ? $0 : nil }
    }
}

extension ExportBase {
    /// Whether somebody else exported later events and a later instant than those of a run.
    fileprivate func isBeyond(_ slot: Instant, _ size: Position) -> Bool {
        asOf > slot && self.size >= size
    }
}
