package import LMDB

/// Merging goes in steps of one segment, each part of a transaction that had to be synced anyway: no step takes long,
/// and a crash between two leaves a merge that goes on. What is being merged answers until the merge is complete.
extension SortedRuns {
    static let fanIn = 4

    /// Takes merges further, the smallest first, until so many entries are written or none is left.
    package func merge(atLeast entries: Int, _ transaction: inout WriteTransaction) throws {
        var written = 0
        while written < entries, let merge = try nextMerge(&transaction) {
            written += try step(merge, &transaction)
        }
    }

    /// The smallest merge that is under way, after starting what can start.
    private func nextMerge(_ transaction: inout WriteTransaction) throws -> IndexRun? {
        var stored = try storedRuns(transaction)
        let taken = Set(stored.flatMap(\.inputs))
        let free = stored.filter { $0.isComplete && !taken.contains($0.number) }
        for ofASize in Dictionary(grouping: free, by: \.size).values where ofASize.count >= Self.fanIn {
            var merge = IndexRun(number: try newNumber(transaction))
            merge.inputs = ofASize.prefix(Self.fanIn).map(\.number)
            try put(merge, &transaction)
            stored.append(merge)
        }
        let counts = Dictionary(uniqueKeysWithValues: stored.map { ($0.number, $0.count) })
        func size(_ merge: IndexRun) -> Int { merge.inputs.reduce(0) { $0 + (counts[$1] ?? 0) } }
        return stored.filter { !$0.isComplete }.min { size($0) < size($1) }
    }

    /// Writes one more segment of a merge, and ends it when that was the last.
    /// - Returns: how many entries it wrote.
    private func step(_ merge: IndexRun, _ transaction: inout WriteTransaction) throws -> Int {
        var merge = merge
        var segment: [IndexEntry] = []
        // Up to where every input has been read.
        var bound: IndexEntry?
        for input in merge.inputs {
            let part = try entries(of: input, after: merge.last, transaction)
            if let last = part.last, part.count >= geometry.entriesASegment / Self.fanIn {
                bound = min(bound ?? last, last)
            }
            segment += part
        }
        if let bound { segment.removeAll { $0 > bound } }
        segment.sort()
        try append(segment[...], to: &merge, &transaction)
        if bound == nil {
            for input in merge.inputs { try remove(input, &transaction) }
            (merge.inputs, merge.last) = ([], nil)
        }
        try put(merge, &transaction)
        return segment.count
    }

    /// The entries of a run above another: a quarter of a segment if there are so many, and up to the end of a block.
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
