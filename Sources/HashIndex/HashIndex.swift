package import LMDB
import LedgerStorage
import Primitives

/// An index from hashes to positions: a log-structured merge tree inside an LMDB environment.
///
/// Hashes have no locality, so a B-tree would write a page of 4 KiB for nearly every new key. Here, the entries of a
/// transaction are written as one sorted run, and compaction merges four runs of a level into one of the next. An entry
/// is therefore written once per level. A look-up reads every run, except those that a Bloom filter excludes. A run is
/// divided into blocks, and the blocks of a segment share a filter.
package struct HashIndex: Sendable {
    /// number -> `Run`
    let runs: Database
    /// number, last entry of the block -> entries
    let blocks: Database
    /// number, last entry of the segment -> filter
    let filters: Database
    let geometry: Geometry

    package struct Geometry: Sendable {
        /// A full block takes 16 pages, including their header of 16 bytes.
        package var entriesABlock = (16 * 4_096 - 16) / IndexEntry.byteCount
        package var blocksASegment = 128

        package init() {}

        /// The number of entries that share a filter, and that one step of a compaction writes.
        var entriesASegment: Int { entriesABlock * blocksASegment }
    }

    package static func databases(_ name: String) -> [(name: String, flags: Database.Flags)] {
        [("\(name).runs", .integerKey), ("\(name).blocks", []), ("\(name).filters", [])]
    }

    /// - Parameter opened: the databases of `databases(_:)`, in the same order.
    package init(_ opened: [Database], geometry: Geometry = Geometry()) {
        (runs, blocks, filters) = (opened[0], opened[1], opened[2])
        self.geometry = geometry
    }
}

extension HashIndex {
    /// Visits every entry of the keys once, in no particular order.
    /// - Parameter keys: in ascending order, without duplicates.
    /// - Complexity: O(keys · runs); filters answer nearly all look-ups of absent keys.
    @specialized(where Access == ReadAccess)
    package func forEachEntry<Access>(
        of keys: [UInt128], _ transaction: borrowing LMDBTransaction<Access>, _ body: (IndexEntry) -> Void
    ) throws {
        guard let least = keys.first else { return }
        for run in try storedRuns(transaction) where run.isComplete {
            var segments = try transaction.cursor(in: filters)
            var segment = try segments.seek(Self.place(run.number, IndexEntry(key: least, position: 0)).span.bytes)
            var previous: IndexEntry?
            var rest = keys[...]
            while !rest.isEmpty, let found = segment, let last = Self.entry(found.key, of: run.number) {
                for key in rest.prefix(while: { $0 <= last.key }) where BloomFilter.mayContain(key, found.value) {
                    try forEachEntry(of: key, in: run.number, after: previous, through: last, transaction, body)
                }
                rest = rest.drop { $0 < last.key }
                previous = last
                segment = try segments.next()
            }
        }
    }

    /// Visits the entries of a key above `previous` and up to `last`.
    private func forEachEntry<Access>(
        of key: UInt128, in run: UInt64, after previous: IndexEntry?, through last: IndexEntry,
        _ transaction: borrowing LMDBTransaction<Access>, _ body: (IndexEntry) -> Void
    ) throws {
        let start = max(IndexEntry(key: key, position: 0), previous ?? .least)
        try forEachBlock(of: run, from: start, transaction) { block in
            var index = block.index(of: start)
            while index < block.count, block[index].key == key, block[index] <= last {
                if block[index] != previous { body(block[index]) }
                index += 1
            }
            return index == block.count
        }
    }

    /// Visits the blocks of a run, from that of `start` on, until `body` returns false.
    func forEachBlock<Access>(
        of run: UInt64, from start: IndexEntry, _ transaction: borrowing LMDBTransaction<Access>,
        _ body: (borrowing Block) -> Bool
    ) throws {
        var cursor = try transaction.cursor(in: blocks)
        var entry = try cursor.seek(Self.place(run, start).span.bytes)
        while let found = entry, Self.entry(found.key, of: run) != nil, body(Block(found.value)) {
            entry = try cursor.next()
        }
    }

    func storedRuns<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> [Run] {
        var found: [Run] = []
        var cursor = try transaction.cursor(in: runs)
        while let entry = try cursor.next() {
            guard let run = Run(number: entry.integerKey, entry.value) else {
                throw StorageError.derivedDamaged("run \(entry.integerKey) of an index")
            }
            found.append(run)
        }
        return found
    }

    /// Returns the last entries of a run's blocks or segments, in order.
    func lastEntries<Access>(
        of run: UInt64, in database: Database, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> [IndexEntry] {
        var found: [IndexEntry] = []
        var cursor = try transaction.cursor(in: database)
        var entry = try cursor.seek(Self.place(run, .least).span.bytes)
        while let place = entry, let last = Self.entry(place.key, of: run) {
            found.append(last)
            entry = try cursor.next()
        }
        return found
    }
}

extension HashIndex {
    /// Adds entries as a new run.
    /// - Parameter entries: in ascending order.
    package func add(_ entries: [IndexEntry], _ transaction: inout WriteTransaction) throws {
        guard !entries.isEmpty else { return }
        var run = Run(number: try newNumber(transaction))
        var rest = entries[...]
        while !rest.isEmpty {
            try append(rest.prefix(geometry.entriesASegment), to: &run, &transaction)
            rest = rest.dropFirst(geometry.entriesASegment)
        }
        try put(run, &transaction)
    }

    func newNumber(_ transaction: borrowing WriteTransaction) throws -> UInt64 {
        var cursor = try transaction.cursor(in: runs)
        guard let last = try cursor.last() else { return 0 }
        return last.integerKey &+ 1
    }

    func put(_ run: Run, _ transaction: inout WriteTransaction) throws {
        try transaction.put(run.bytes.span.bytes, at: run.number, in: runs)
    }

    /// Appends a segment to a run: its blocks and their filter.
    func append(
        _ segment: ArraySlice<IndexEntry>, to run: inout Run, _ transaction: inout WriteTransaction
    ) throws {
        guard let last = segment.last else { return }
        var rest = segment
        while let lastOfBlock = rest.prefix(geometry.entriesABlock).last {
            let bytes = Block.bytes(of: rest.prefix(geometry.entriesABlock))
            try transaction.put(bytes.span.bytes, at: Self.place(run.number, lastOfBlock).span.bytes, in: blocks)
            rest = rest.dropFirst(geometry.entriesABlock)
        }
        let filter = BloomFilter.bytes(of: segment)
        try transaction.put(filter.span.bytes, at: Self.place(run.number, last).span.bytes, in: filters)
        run.count += segment.count
        run.last = last
    }

    func remove(_ run: UInt64, _ transaction: inout WriteTransaction) throws {
        for database in [blocks, filters] {
            for last in try lastEntries(of: run, in: database, transaction) {
                try transaction.delete(Self.place(run, last).span.bytes, in: database)
            }
        }
        try transaction.delete(run, in: runs)
    }

    /// Returns the database key of a block or a segment.
    static func place(_ run: UInt64, _ last: IndexEntry) -> InlineArray<4, UInt64> {
        let (high, low) = (UInt64(truncatingIfNeeded: last.key >> 64), UInt64(truncatingIfNeeded: last.key))
        return [run.bigEndian, high.bigEndian, low.bigEndian, last.position.bigEndian]
    }

    static func entry(_ place: RawSpan, of run: UInt64) -> IndexEntry? {
        guard place.byteCount == 8 + IndexEntry.byteCount, place.bigEndian(at: 0, as: UInt64.self) == run else {
            return nil
        }
        return IndexEntry(place, at: 8)
    }
}
