import Primitives

/// Values by digest, as a sorted array: one key has too few of them for hashing to pay.
struct DigestIndex<Value: BitwiseCopyable> {
    private var entries: [(digest: Digest, value: Value)]

    init(_ entries: [(digest: Digest, value: Value)]) {
        self.entries = entries.sorted { $0.digest < $1.digest }
    }

    /// - Complexity: O(log n).
    subscript(digest: Digest) -> Value? {
        let index = entries.partitioningIndex { $0.digest >= digest }
        guard index < entries.endIndex, entries[index].digest == digest else { return nil }
        return entries[index].value
    }
}
