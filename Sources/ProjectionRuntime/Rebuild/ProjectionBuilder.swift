package import FactStore
package import LedgerModel
import LedgerStorage
import Primitives
import Synchronization

/// Builds a projection from the facts of all keys, on several threads and with bounded memory.
///
/// The rows are those at the time when the last event was recorded, so they depend on the events, the rules and the
/// code alone. They are built beside the stored projection, checked, and then replace it. Nothing else changes.
package struct ProjectionBuilder<Definition: Projection>: Sendable {
    let store: ProjectionStore
    let facts: FactIndex
    let snapshot: FactSnapshot
    let rules: Rules
    let asOf: Instant
    let options: RebuildOptions
    private let meter: RebuildMeter

    /// - Parameter facts: the facts, all of which are folded.
    /// - Throws: `StorageError`.
    package init(
        _ definition: Definition.Type, in store: ProjectionStore, of facts: FactIndex, rules: Rules,
        options: RebuildOptions = RebuildOptions()
    ) throws {
        self.store = store
        self.facts = facts
        snapshot = try facts.snapshot()
        self.rules = rules
        self.options = options
        asOf = snapshot.size == 0 ? .earliest : try snapshot.recordedAt(snapshot.size - 1)
        meter = RebuildMeter(options.report)
    }

    /// Builds the projection from all facts.
    /// - Throws: `locked` while another process builds; `disk_full`, `io_error`, `log_corrupt`. The stored projection
    ///   then stays.
    package func rebuild() throws -> ProjectionManifest {
        try store.building { try buildAll() }
    }

    /// Builds the projection with the right to build.
    func buildAll() throws -> ProjectionManifest {
        let columns = Definition.columns
        let runs = try fold(sorter) { sorter, entry in
            try sorter.append(entry, columns)
        } finish: { sorter in
            try sorter.finish()
        }
        return try install(keyCount: runs.reduce(0) { $0 + $1.count }) { rows in try SortedRuns.merge(runs, rows) }
    }

    func sorter(_ worker: Int) -> RecordSorter {
        // Half of the memory is for the index of units.
        RecordSorter(
            limit: options.memory / 2 / options.workers, pathPrefix: "\(store.buildingFolder)/run-\(worker)")
    }

    /// Writes, checks and installs rows.
    /// - Parameters:
    ///   - keyCount: the expected number of keys, for the progress.
    ///   - body: passes every record to its argument, ordered by key.
    func install(
        keyCount: Int, _ body: ((StoredRecord) throws -> Void) throws -> Void
    ) throws -> ProjectionManifest {
        meter.begin(.writing, total: UInt64(keyCount))
        let path = "\(store.buildingFolder)/rows"
        var file = try RowsFile(path, meter)
        try body { try file.append($0) }
        let manifest = ProjectionManifest(
            of: Definition.self, rules, knownAt: snapshot.size, asOf: asOf, try file.finish())
        try store.install(manifest, rows: path)
        return manifest
    }
}

extension ProjectionBuilder {
    /// Folds the facts of all units on several threads.
    /// - Parameters:
    ///   - initial: returns the initial sum of a thread.
    ///   - add: adds the rows of a key to the sum of a thread.
    ///   - finish: called on each thread at its end.
    /// - Returns: the result of each thread.
    package func fold<Sum, Result: Sendable>(
        _ initial: @escaping @Sendable (_ worker: Int) -> Sum,
        add: @escaping @Sendable (inout Sum, ProjectionEntry<Definition.Row>) throws -> Void,
        finish: @escaping @Sendable (inout Sum) throws -> Result
    ) throws -> [Result] {
        let workers = Workers(count: options.workers, meter: meter)
        let space = ScratchSpace(limit: options.memory / 2, folder: store.buildingFolder)
        meter.begin(.reading, total: snapshot.size)
        let index = try UnitIndex(of: snapshot, workers, in: space)
        meter.begin(.folding, total: UInt64(index.positionCount(below: index.count)))
        let units = UnitQueue(index)
        return try workers.map { worker in
            var sum = initial(worker)
            while let batch = units.next() {
                for timelines in try index.timelines(of: batch, in: snapshot) {
                    let lineages = Lineage.components(of: timelines)
                    for entry in Definition.entries(of: lineages, at: asOf, rules: rules) { try add(&sum, entry) }
                }
                meter.add(units.positionCount(of: batch))
            }
            return try finish(&sum)
        }
    }
}

/// Distributes the units among threads.
private final class UnitQueue: Sendable {
    /// Small, so that the facts of a batch stay in the caches, and the allocator keeps their memory.
    private static let batch = 32

    private let index: UnitIndex
    private let start = Atomic(0)

    init(_ index: UnitIndex) {
        self.index = index
    }

    func next() -> Range<Int>? {
        let end = start.add(Self.batch, ordering: .relaxed).newValue
        let units = (end - Self.batch..<end).clamped(to: 0..<index.count)
        return units.isEmpty ? nil : units
    }

    func positionCount(of units: Range<Int>) -> UInt64 {
        UInt64(index.positionCount(below: units.upperBound) - index.positionCount(below: units.lowerBound))
    }
}
