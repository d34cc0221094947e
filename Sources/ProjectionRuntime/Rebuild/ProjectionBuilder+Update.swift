import FactStore
import LedgerModel
import LedgerStorage
package import Primitives

extension ProjectionBuilder {
    /// The share of keys from which a rebuild, which reads all facts in order, is faster than look-ups.
    private static var rebuiltShare: Int { 16 }
    private static var eventsPerRead: Position { 16_384 }

    /// Brings the stored projection up to date. Folds only the keys with new facts, the keys that they are joined with,
    /// and those whose rows change with time. The result equals that of `rebuild()`, byte for byte.
    ///
    /// Without an undamaged projection of this code, these rules and this log, and when many keys are affected,
    /// rebuilds.
    /// - Parameters:
    ///   - logRoot: the root of the log's tree at `size`.
    ///   - logRootBefore: the root at the size of `previous`; nil when the log is shorter.
    /// - Throws: the errors of `rebuild()`.
    package func update(logRoot: Digest, logRootBefore: Digest?) throws -> ProjectionManifest {
        try building {
            guard let previous, previous.logRoot == logRootBefore, isUpdatable(previous) else {
                return try buildAll(logRoot)
            }
            let updated: ProjectionManifest?
            do {
                updated = try updateStored(logRoot)
            } catch let error as StorageError where error.code == .logCorrupt {
                updated = nil
            }
            return try updated ?? buildAll(logRoot)
        }
    }

    /// Returns nil when there is no stored projection, or when many keys are affected.
    private func updateStored(_ logRoot: Digest) throws -> ProjectionManifest? {
        // Each reader reads once: the first finds outdated rows, the second is merged with the new ones.
        guard let stored = try store.open(Definition.name, rules.digest), let affected = try affectedKeys(stored),
            let old = try store.open(Definition.name, rules.digest)
        else { return nil }
        let (runs, replaced) = try folded(affected)
        return try install(logRoot, keyCount: stored.manifest.content.keys) { rows in
            try merge(runs, with: old, replacing: replaced, rows)
        }
    }

    private func isUpdatable(_ manifest: ProjectionManifest) -> Bool {
        manifest.versions == ProjectionManifest.Versions(of: Definition.self)
            && manifest.columns == Definition.columns.map(\.schema)
            && manifest.knownAt <= units.snapshot.size && manifest.asOf <= units.asOf
    }

    /// Returns the keys with new facts or outdated rows; nil when they are many.
    private func affectedKeys(_ stored: StoredProjection) throws -> Set<SubscriptionKey>? {
        let limit = stored.manifest.content.keys / Self.rebuiltShare
        var affected: Set<SubscriptionKey> = []
        var start = stored.manifest.knownAt
        let size = units.snapshot.size
        while start < size, affected.count <= limit {
            let range = start..<min(start + Self.eventsPerRead, size)
            start = range.upperBound
            affected.formUnion(try units.snapshot.keys(in: range))
            guard Definition.readsCustomers else { continue }
            for fact in try units.snapshot.customerFacts(in: range) {
                affected.formUnion(try units.facts.keys(concernedBy: fact))
            }
        }
        while affected.count <= limit, let record = try stored.nextRecord() {
            guard let entry = StoredEntry(record.body), let key = SubscriptionKey(ordered: record.key) else {
                throw stored.damaged
            }
            if let validUntil = entry.validUntil, validUntil <= units.asOf { affected.insert(key) }
        }
        return affected.count <= limit ? affected : nil
    }

    /// Returns the entries of keys and of the keys that they are joined with, and all those keys.
    private func folded(_ keys: Set<SubscriptionKey>) throws -> ([SortedRuns], Set<SubscriptionKey>) {
        var sorter = units.sorter(0, in: store.buildingFolder)
        var done: Set<SubscriptionKey> = []
        let columns = Definition.columns
        for key in keys where !done.contains(key) {
            let related = try units.unitFacts(around: key, readsCustomers: Definition.readsCustomers)
            done.formUnion(related.timelines.keys)
            // An event with facts of several keys leads to keys that are folded apart.
            for lineages in related.lineages.groupedByAccounts() {
                let keys = Set(lineages.flatMap(\.subscriptions).map(\.key))
                let unit = UnitFacts(
                    timelines: related.timelines.filter { keys.contains($0.key) }, customers: related.customers)
                for entry in Definition.entries(of: unit, at: units.asOf, rules: rules) {
                    try sorter.append(entry, columns)
                }
            }
        }
        return ([sorter.finish()], done)
    }

    /// Passes the stored records, without those of the replaced keys, and the new ones to `body`, ordered by key.
    private func merge(
        _ runs: [SortedRuns], with stored: StoredProjection, replacing replaced: Set<SubscriptionKey>,
        _ body: (StoredRecord) throws -> Void
    ) throws {
        func nextKept() throws -> StoredRecord? {
            while let record = try stored.nextRecord() {
                guard let key = SubscriptionKey(ordered: record.key) else { throw stored.damaged }
                if !replaced.contains(key) { return record }
            }
            return nil
        }
        var kept = try nextKept()
        try SortedRuns.merge(runs) { record in
            while let next = kept, next.precedes(record) {
                try body(next)
                kept = try nextKept()
            }
            try body(record)
        }
        while let next = kept {
            try body(next)
            kept = try nextKept()
        }
    }
}
