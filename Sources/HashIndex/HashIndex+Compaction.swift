package import LMDB

/// Compaction advances in steps of one segment, within a transaction that must be synced anyway. No step takes long,
/// and a compaction continues after a crash between two steps. Look-ups read its inputs until it is complete.
extension HashIndex {
    /// The number of runs of one level that a compaction merges.
    static let fanIn = 4
    /// The number of entries to compact per entry added. An entry is compacted once per level above that of its batch,
    /// so this keeps up with billions of entries.
    private static let compactedForEachAdded = 8

    /// Adds entries and advances compactions far enough to bound the number of runs.
    package func addAndCompact(_ entries: [IndexEntry], _ transaction: inout WriteTransaction) throws {
        try add(entries.sorted(), &transaction)
        // At least one segment, so that small batches also complete a large compaction.
        try compact(
            atLeast: max(entries.count * Self.compactedForEachAdded, geometry.entriesASegment), &transaction)
    }

    /// Advances compactions, the smallest first, until this many entries are written or no compaction is left.
    package func compact(atLeast entries: Int, _ transaction: inout WriteTransaction) throws {
        var written = 0
        while written < entries, let compaction = try nextCompaction(&transaction) {
            written += try step(compaction, &transaction)
        }
    }

    /// Starts the compactions that can start, and returns the smallest.
    private func nextCompaction(_ transaction: inout WriteTransaction) throws -> Run? {
        var stored = try storedRuns(transaction)
        let taken = Set(stored.flatMap(\.inputs))
        let free = stored.filter { $0.isComplete && !taken.contains($0.number) }
        for level in Dictionary(grouping: free, by: \.level).values where level.count >= Self.fanIn {
            var compaction = Run(number: try newNumber(transaction))
            compaction.inputs = level.prefix(Self.fanIn).map(\.number)
            try put(compaction, &transaction)
            stored.append(compaction)
        }
        let counts = Dictionary(uniqueKeysWithValues: stored.map { ($0.number, $0.count) })
        func size(_ compaction: Run) -> Int { compaction.inputs.reduce(0) { $0 + (counts[$1] ?? 0) } }
        return stored.filter { !$0.isComplete }.min { size($0) < size($1) }
    }

    /// Writes one more segment. Completes the run after the last one.
    /// - Returns: the number of entries written.
    private func step(_ run: Run, _ transaction: inout WriteTransaction) throws -> Int {
        var run = run
        var segment: [IndexEntry] = []
        // The entry up to which every input has been read.
        var bound: IndexEntry?
        for input in run.inputs {
            let part = try entries(of: input, after: run.last, transaction)
            if let last = part.last, part.count >= geometry.entriesASegment / Self.fanIn {
                bound = min(bound ?? last, last)
            }
            segment += part
        }
        if let bound { segment.removeAll { $0 > bound } }
        segment.sort()
        try append(segment[...], to: &run, &transaction)
        if bound == nil {
            for input in run.inputs { try remove(input, &transaction) }
            (run.inputs, run.last) = ([], nil)
        }
        try put(run, &transaction)
        return segment.count
    }

    /// Returns the entries of a run above `last`, in whole blocks: at least a quarter of a segment, or all of them.
    private func entries(
        of run: UInt64, after last: IndexEntry?, _ transaction: borrowing WriteTransaction
    ) throws -> [IndexEntry] {
        var found: [IndexEntry] = []
        try forEachBlock(of: run, from: last ?? .least, transaction) { block in
            for index in 0..<block.count where last.map({ $0 < block[index] }) ?? true { found.append(block[index]) }
            return found.count < geometry.entriesASegment / Self.fanIn
        }
        return found
    }
}
