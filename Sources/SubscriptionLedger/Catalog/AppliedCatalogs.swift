import EventLog
import FactStore
import Ingestion
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import Synchronization

/// The catalogues of all apps that are in effect at each size of the log.
final class AppliedCatalogs: Sendable {
    private let changes: OwnEvents<CatalogChange>
    /// The catalogues after the change that was asked for last.
    private let newest = Mutex<(change: Position, histories: [Symbol: CatalogHistory])?>(nil)

    init(_ log: LogReader, _ facts: FactIndex) {
        changes = OwnEvents(.catalogChanges, log, facts, decode: Self.change)
    }

    /// Returns the catalogues of each app among the first `size` events.
    /// - Throws: `StorageError`: also `version_unknown` for a catalogue that only a later version can read.
    func histories(knownAt size: Position) throws -> [Symbol: CatalogHistory] {
        guard let change = try changes.newest(knownAt: size)?.position else { return [:] }
        if let known = newest.withLock({ $0 }), known.change == change { return known.histories }
        let changes = try changes.all(knownAt: size)
        let histories = Dictionary(grouping: changes, by: \.catalog.bundleId).mapValues { CatalogHistory($0) }
        newest.withLock { $0 = (change, histories) }
        return histories
    }

    /// Returns the changes among the first `size` events, oldest first.
    func all(knownAt size: Position) throws -> [CatalogChange] { try changes.all(knownAt: size) }

    /// Returns the positions of the changes between two log sizes.
    func positions(in sizes: Range<Position>) throws -> [Position] { try changes.positions(in: sizes) }

    /// The position of the newest change of any catalogue.
    func newestPosition() throws -> Position? { try changes.newestPosition() }

    private static func change(_ record: Record, in log: LogReader) throws -> CatalogChange? {
        let evidence = try log.evidence(at: record.position) ?? []
        guard try CatalogEvents.bundleId(in: record, evidence) != nil else { return nil }
        let catalog: Catalog
        do {
            catalog = try Catalog(
                yaml: String(decoding: evidence, as: UTF8.self), file: "the catalogue at position \(record.position)")
        } catch {
            throw StorageError(
                .versionUnknown, error.diagnosis.message, expected: error.diagnosis.expected,
                found: error.diagnosis.found, hint: "Use the version of subledger that applied it, or a later one.")
        }
        return CatalogChange(
            catalog, digest: record.evidenceDigest, recordedAt: record.recordedAt, position: record.position)
    }
}
