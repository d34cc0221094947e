import Primitives

/// A sorted run of entries, complete or being written by a compaction.
struct Run {
    let number: UInt64
    /// The number of entries written.
    var count = 0
    /// The runs that a compaction merges into this one, and the last entry written. Look-ups skip incomplete runs.
    var inputs: [UInt64] = []
    var last: IndexEntry?

    /// The level, from the number of entries: up to 64 at level 0, then four times as many per level.
    var level: Int {
        var (level, limit) = (0, 64)
        while count > limit { (level, limit) = (level + 1, limit * HashIndex.fanIn) }
        return level
    }

    var isComplete: Bool { inputs.isEmpty }

    /// The stored form: `count u64`. An incomplete run also has `inputs u64…` and the last entry, if there is one.
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
        guard stored.byteCount % 8 == 0, words > 0, let count = Int(exactly: stored.bigEndian(at: 0, as: UInt64.self)),
            count < 1 << 48
        else { return nil }
        self.count = count
        guard words > 1 else { return }
        let inputWords = 1..<1 + HashIndex.fanIn
        guard words == inputWords.upperBound || words == inputWords.upperBound + IndexEntry.byteCount / 8 else {
            return nil
        }
        inputs = inputWords.map { stored.bigEndian(at: $0 * 8, as: UInt64.self) }
        if words > inputWords.upperBound { last = IndexEntry(stored, at: inputWords.upperBound * 8) }
    }
}
