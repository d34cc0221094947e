/// What `SortedRuns` keeps of one run.
struct IndexRun {
    let number: UInt64
    /// How many entries it has, by now.
    var count = 0
    /// While it is being merged: of what, and its last entry so far. It answers nothing until it is complete.
    var inputs: [UInt64] = []
    var last: IndexEntry?

    /// Runs of a size differ by less than a factor of four; the smallest have up to 64 entries.
    var size: Int {
        var (size, limit) = (0, 64)
        while count > limit { (size, limit) = (size + 1, limit * SortedRuns.fanIn) }
        return size
    }

    var isComplete: Bool { inputs.isEmpty }

    /// `count u64`; of a run that is being merged also `inputs u64…` and, once it has one, the last entry.
    var bytes: [UInt8] {
        var bytes = [UInt8]()
        for word in [UInt64(count)] + inputs { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }
        if !isComplete { last?.append(to: &bytes) }
        return bytes
    }

    init(number: UInt64) {
        self.number = number
    }

    /// - Returns: nil when the bytes are damaged.
    init?(number: UInt64, _ stored: RawSpan) {
        self.number = number
        let words = stored.byteCount / 8
        guard stored.byteCount % 8 == 0, words > 0, let count = Int(exactly: UInt64(bigEndian: stored.word(at: 0))),
            count < 1 << 48
        else { return nil }
        self.count = count
        guard words > 1 else { return }
        let inputWords = 1..<1 + SortedRuns.fanIn
        guard words == inputWords.upperBound || words == inputWords.upperBound + IndexEntry.byteCount / 8 else {
            return nil
        }
        inputs = inputWords.map { UInt64(bigEndian: stored.word(at: $0 * 8)) }
        if words > inputWords.upperBound { last = IndexEntry(stored, at: inputWords.upperBound * 8) }
    }
}
