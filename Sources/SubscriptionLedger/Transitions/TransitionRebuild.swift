import EventLog
import FactStore
import LMDB
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime

/// Builds the feed of all events at once, on several threads, in a folder of its own.
///
/// The rows are those that following the log event by event appends, byte for byte.
struct TransitionRebuild: Sendable {
    /// The maximum number of records per transaction.
    private static let batch = 4_096
    /// Memory for the index of units and for sorting, in bytes.
    private static let memory = 256 << 20

    let facts: FactIndex
    let log: LogReader
    let rules: ActiveRules
    let sequence: Digest
    let mapSizeBytes: Int
    /// The instant up to which the replaced feed has its due rows. No event is recorded at or before it.
    let timeProcessed: Instant
    /// An empty folder. Temporary files in it are removed.
    let folder: Folder
    /// Returns whether to give up.
    let isCancelled: @Sendable () -> Bool

    /// - Throws: `StorageError`; `CancellationError` when cancelled.
    func run() throws {
        var options = RebuildOptions()
        options.memory = Self.memory
        let units = try UnitFold(of: facts, options: options)
        let replay = TransitionReplay(
            units: units, rules: try rules.history(knownAt: units.snapshot.size), end: units.asOf)
        try store(try replay.run(in: folder.path, check: check), size: units.snapshot.size)
    }

    private func check() throws {
        if isCancelled() { throw CancellationError() }
    }

    private func store(_ parts: [TransitionReplay.Part.Finished], size: Position) throws {
        let store = try TransitionStore.create(folder.path, mapSizeBytes: mapSizeBytes, sequence: sequence)
        var progress = TransitionStore.Progress(start: sequence)
        try forEachBatch(of: parts.map(\.rows)) { batch in
            try store.environment.write { transaction in
                for row in batch { try store.append(stored: row, &progress, &transaction) }
            }
        }
        try forEachBatch(of: parts.map(\.announced)) { batch in
            try store.environment.write { transaction in
                for bytes in batch {
                    guard let announced = AnnouncedSubscription(bytes) else {
                        throw TransitionStore.damaged("an announced subscription")
                    }
                    try store.replace(AnnouncedSubscription(key: announced.key), with: announced, &transaction)
                }
            }
        }
        progress.disagreements = parts.reduce(0) { $0 + $1.disagreements }
        progress.timeProcessed = timeProcessed
        progress.position = size
        if size > 0 { progress.idempotencyKey = try log.record(at: size - 1)?.idempotencyKey.value ?? 0 }
        try store.environment.write { try store.store(progress, &$0) }
        try folder.removeFiles(except: ["data.mdb", "lock.mdb"])
    }

    /// Calls `body` with the contents of the sorted records, a bounded number at a time.
    private func forEachBatch(of runs: [SortedRuns], _ body: ([[UInt8]]) throws -> Void) throws {
        var batch: [[UInt8]] = []
        try SortedRuns.merge(runs) { record in
            batch.append(Array(record.body))
            guard batch.count == Self.batch else { return }
            try check()
            try body(batch)
            batch = []
        }
        try body(batch)
    }
}
