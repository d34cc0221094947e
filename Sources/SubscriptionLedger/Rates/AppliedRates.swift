import EventLog
import FactStore
import Ingestion
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import Synchronization

/// The exchange rates that are known at each size of the log.
final class AppliedRates: Sendable {
    private let changes: OwnEvents<RatesChange>
    /// The rates after the change that was asked for last.
    private let newest = Mutex<(change: Position, history: RatesHistory)?>(nil)

    init(_ log: LogReader, _ facts: FactIndex) {
        changes = OwnEvents(.ratesChanges, log, facts, decode: Self.change)
    }

    /// Returns the rates among the first `size` events.
    /// - Throws: `StorageError`: also `version_unknown` for rates that only a later version can read.
    func history(knownAt size: Position) throws -> RatesHistory {
        guard let change = try changes.newest(knownAt: size)?.position else { return RatesHistory() }
        if let known = newest.withLock({ $0 }), known.change == change { return known.history }
        let history = RatesHistory(try changes.all(knownAt: size))
        newest.withLock { $0 = (change, history) }
        return history
    }

    /// Returns the changes among the first `size` events, oldest first.
    func all(knownAt size: Position) throws -> [RatesChange] { try changes.all(knownAt: size) }

    /// Returns the positions of the changes between two log sizes.
    func positions(in sizes: Range<Position>) throws -> [Position] { try changes.positions(in: sizes) }

    /// The position of the newest change.
    func newestPosition() throws -> Position? { try changes.newestPosition() }

    private static func change(_ record: Record, in log: LogReader) throws -> RatesChange? {
        guard record.kind == .ratesChanged else { return nil }
        let evidence = try log.evidence(at: record.position) ?? []
        guard record.statesDigest(of: evidence) else {
            throw StorageError(.logCorrupt, "the rates at position \(record.position) do not match their digest")
        }
        do {
            let file = try RatesFile(
                text: String(decoding: evidence, as: UTF8.self), name: "the rates at position \(record.position)")
            return RatesChange(
                file.rates, digest: record.evidenceDigest, recordedAt: record.recordedAt, position: record.position)
        } catch {
            throw StorageError(
                .versionUnknown, error.diagnosis.message, expected: error.diagnosis.expected,
                found: error.diagnosis.found, hint: "Use the version of subledger that applied them, or a later one.")
        }
    }
}
