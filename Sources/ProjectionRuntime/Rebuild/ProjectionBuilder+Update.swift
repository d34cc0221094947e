import FactStore
import LedgerModel
import LedgerStorage
import Primitives

extension ProjectionBuilder {
    /// The share of keys from which a rebuild, which reads all facts in order, is faster than look-ups.
    private static var rebuiltShare: Int { 16 }
    private static var eventsPerRead: Position { 16_384 }

    /// Brings the stored projection up to date. Folds only the keys with new facts, the keys that they are joined with,
    /// and those whose rows change with time. The result equals that of `rebuild()`, byte for byte.
    ///
    /// Without a stored projection of this code and these rules, and when many keys are affected, rebuilds.
    /// - Throws: the errors of `rebuild()`.
    package func update() throws -> ProjectionManifest {
        try store.building {
            guard let stored = try store.open(Definition.name, rules.digest), isUpdatable(stored.manifest),
                let affected = try affectedKeys(stored), let old = try store.open(Definition.name, rules.digest)
            else { return try buildAll() }
            let (runs, replaced) = try folded(affected)
            return try install(keyCount: stored.manifest.content.keys) { rows in
                try merge(runs, with: old, replacing: replaced, rows)
            }
        }
    }

    private func isUpdatable(_ manifest: ProjectionManifest) -> Bool {
        manifest.version == Definition.version && manifest.columns == Definition.columns.map(\.schema)
            && manifest.knownAt <= snapshot.size && manifest.asOf <= asOf
    }

    /// Returns the keys with new facts or outdated rows; nil when they are many.
    private func affectedKeys(_ stored: StoredProjection) throws -> Set<SubscriptionKey>? {
        let limit = stored.manifest.content.keys / Self.rebuiltShare
        var affected: Set<SubscriptionKey> = []
        var start = stored.manifest.knownAt
        while start < snapshot.size, affected.count <= limit {
            affected.formUnion(try snapshot.keys(in: start..<min(start + Self.eventsPerRead, snapshot.size)))
            start += Self.eventsPerRead
        }
        while affected.count <= limit, let record = try stored.nextRecord() {
            guard let entry = StoredEntry(record.body), let key = SubscriptionKey(ordered: record.key) else {
                throw stored.damaged
            }
            if let validUntil = entry.validUntil, validUntil <= asOf { affected.insert(key) }
        }
        return affected.count <= limit ? affected : nil
    }

    /// Returns the entries of keys and of the keys that they are joined with, and all those keys.
    private func folded(_ keys: Set<SubscriptionKey>) throws -> ([SortedRuns], Set<SubscriptionKey>) {
        var sorter = sorter(0)
        var done: Set<SubscriptionKey> = []
        let columns = Definition.columns
        for key in keys where !done.contains(key) {
            let timelines = try facts.timelines(around: key, knownAt: snapshot.size)
            done.formUnion(timelines.keys)
            // An event with facts of several keys leads to keys that are folded apart.
            for lineages in Lineage.components(of: timelines).groupedByAccounts() {
                for entry in Definition.entries(of: lineages, at: asOf, rules: rules) {
                    try sorter.append(entry, columns)
                }
            }
        }
        return ([try sorter.finish()], done)
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
