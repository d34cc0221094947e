package import FactStore
package import LedgerModel
import LedgerStorage
package import Primitives

/// Builds a projection from the facts of all keys.
///
/// The rows are those at the time when the last event was recorded, so they depend on the events, the rules and the
/// code alone. They are built beside the stored projection, checked, and then replace it. Nothing else changes.
package struct ProjectionBuilder<Definition: Projection>: Sendable {
    let store: ProjectionStore
    let rules: Rules
    let units: UnitFold
    /// The manifest that the build replaces; nil when there is none or when it cannot be read.
    package let previous: ProjectionManifest?

    /// - Parameter facts: the facts, all of which are folded.
    /// - Throws: `StorageError`.
    package init(
        _ definition: Definition.Type, in store: ProjectionStore, of facts: FactIndex, rules: Rules,
        options: RebuildOptions = RebuildOptions()
    ) throws {
        self.store = store
        self.rules = rules
        // Read before the facts, so that a build that ends meanwhile is noticed.
        previous = try Self.previous(in: store, rules)
        units = try UnitFold(of: facts, options: options)
    }

    private static func previous(in store: ProjectionStore, _ rules: Rules) throws(StorageError) -> ProjectionManifest?
    {
        do throws(StorageError) {
            return try store.manifest(Definition.name, rules.digest)
        } catch  where error.code == .logCorrupt {
            return nil
        }
    }

    /// The number of events that are folded.
    package var size: Position { units.snapshot.size }

    /// Builds the projection from all facts.
    /// - Parameter logRoot: the root of the log's tree at `size`.
    /// - Throws: `locked` while another process builds, or when it has built this projection meanwhile; `disk_full`,
    ///   `io_error`, `log_corrupt`. The stored projection then stays.
    package func rebuild(logRoot: Digest) throws -> ProjectionManifest {
        try building { try buildAll(logRoot) }
    }

    /// Runs `body` with the right to build, unless another process has built the projection since `init`.
    func building<Result>(_ body: () throws -> Result) throws -> Result {
        try store.building {
            guard try Self.previous(in: store, rules) == previous else {
                throw StorageError(
                    .locked, "another process has built \(Definition.name) meanwhile", hint: "Run the command again.")
            }
            return try body()
        }
    }

    /// Builds the projection with the right to build.
    func buildAll(_ logRoot: Digest) throws -> ProjectionManifest {
        let columns = Definition.columns
        let runs = try fold {
            units.sorter($0, in: store.buildingFolder)
        } add: { sorter, entry in
            try sorter.append(entry, columns)
        } finish: { sorter in
            sorter.finish()
        }
        return try install(logRoot, keyCount: runs.reduce(0) { $0 + $1.count }) { rows in
            try SortedRuns.merge(runs, rows)
        }
    }

    /// Folds the facts of all units on several threads. Rows need only `rebuild`; this is for sums and measurements.
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
        try units(in: store.buildingFolder, readsCustomers: Definition.readsCustomers, initial) { sum, unit in
            for entry in Definition.entries(of: unit, at: units.asOf, rules: rules) { try add(&sum, entry) }
        } finish: {
            try finish(&$0)
        }
    }

    /// Writes, checks and installs rows.
    /// - Parameters:
    ///   - logRoot: the root of the log's tree at `size`.
    ///   - keyCount: the expected number of keys, for the progress.
    ///   - body: passes every record to its argument, ordered by key.
    func install(
        _ logRoot: Digest, keyCount: Int, _ body: ((StoredRecord) throws -> Void) throws -> Void
    ) throws -> ProjectionManifest {
        units.meter.begin(.writing, total: UInt64(clamping: keyCount))
        let path = "\(store.buildingFolder)/rows"
        var file = try RowsFile(path, units.meter)
        try body { try file.append($0) }
        let manifest = ProjectionManifest(
            of: Definition.self, rules, knownAt: size, logRoot: logRoot, asOf: units.asOf, try file.finish())
        try store.install(manifest, rows: path)
        return manifest
    }
}
