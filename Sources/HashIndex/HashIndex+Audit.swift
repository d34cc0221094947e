package import LMDB
import Primitives

extension HashIndex {
    /// The number of parts of `sum`. A part of an index of a billion entries takes 100 MB.
    private static let parts = 256

    /// Returns the sum of the distinct entries that are wanted.
    ///
    /// Reads the keys in parts, because an entry may be stored twice: once before and once after a failed commit.
    /// - Parameter report: called for each part with the share that is done, from 0 to 1.
    /// - Complexity: O(n log n) for n entries, with a part of them in memory.
    package func sum<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, where isWanted: (IndexEntry) -> Bool,
        report: (Double) -> Void
    ) throws -> EntrySum {
        let runs = try storedRuns(transaction).filter(\.isComplete)
        var sum = EntrySum()
        for part in 0..<Self.parts {
            report(Double(part) / Double(Self.parts))
            var entries: [IndexEntry] = []
            for run in runs { try append(to: &entries, part, of: run.number, transaction) }
            entries.sort()
            var previous: IndexEntry?
            for entry in entries where entry != previous {
                if isWanted(entry) { sum.add(entry) }
                previous = entry
            }
        }
        return sum
    }

    /// Appends the entries of a run whose keys begin with a byte.
    private func append<Access>(
        to entries: inout [IndexEntry], _ part: Int, of run: UInt64, _ transaction: borrowing LMDBTransaction<Access>
    ) throws {
        let start = IndexEntry(key: UInt128(part) << 120, position: 0)
        try forEachBlock(of: run, from: start, transaction) { block in
            for index in block.index(of: start)..<block.count {
                guard block[index].key >> 120 == UInt128(part) else { return false }
                entries.append(block[index])
            }
            return true
        }
    }
}

extension HashIndex {
    /// Compares the blocks, filters and counts of each run with its entries.
    /// - Parameter report: called for each segment.
    /// - Returns: the first fault; nil when there is none.
    /// - Complexity: O(n) for n entries, with one segment in memory.
    package func fault<Access>(
        _ transaction: borrowing LMDBTransaction<Access>, report: () -> Void
    ) throws -> String? {
        var counts = (blocks: 0, filters: 0)
        for run in try storedRuns(transaction) {
            guard try isSound(run, &counts, transaction, report) else {
                return "run \(run.number) does not match its entries"
            }
        }
        let found = try (
            blocks: transaction.statistics(of: blocks).entries, filters: transaction.statistics(of: filters).entries
        )
        return counts == found ? nil : "\(found) blocks and filters, expected \(counts)"
    }

    private func isSound<Access>(
        _ run: Run, _ counts: inout (blocks: Int, filters: Int), _ transaction: borrowing LMDBTransaction<Access>,
        _ report: () -> Void
    ) throws -> Bool {
        let segments = try lastEntries(of: run.number, in: filters, transaction)
        counts.filters += segments.count
        var remaining = segments[...]
        var segment: [IndexEntry] = []
        var (count, previous) = (0, IndexEntry?.none)
        var cursor = try transaction.cursor(in: blocks)
        var entry = try cursor.seek(Self.place(run.number, .least).span.bytes)
        while let found = entry, let last = Self.entry(found.key, of: run.number) {
            let block = Block(found.value)
            guard block.isWhole, block.count > 0, block[block.count - 1] == last else { return false }
            for index in 0..<block.count {
                if let previous, block[index] < previous { return false }
                previous = block[index]
                segment.append(block[index])
            }
            (count, counts.blocks) = (count + block.count, counts.blocks + 1)
            if remaining.first == last {
                guard try hasFilter(of: segment[...], in: run.number, transaction) else { return false }
                remaining = remaining.dropFirst()
                segment = []
                report()
            }
            entry = try cursor.next()
        }
        return segment.isEmpty && remaining.isEmpty && run.count == count && (run.isComplete || run.last == previous)
    }

    /// Whether a segment has the filter of its entries.
    private func hasFilter<Access>(
        of segment: ArraySlice<IndexEntry>, in run: UInt64, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> Bool {
        guard let last = segment.last,
            let filter = try transaction.get(Self.place(run, last).span.bytes, in: filters)
        else { return false }
        return filter.array(in: 0..<filter.byteCount) == BloomFilter.bytes(of: segment)
    }
}
