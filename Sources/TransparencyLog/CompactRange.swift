package import Primitives

/// A hash that is stored once and never changes: the root of the 256^level entries from `index` · 256^level.
package struct StoredHash: Hashable, Sendable {
    /// The level of tiles; 0 for leaf hashes.
    package let level: Int
    package let index: UInt64
    package let hash: Digest

    package init(level: Int, index: UInt64, hash: Digest) {
        self.level = level
        self.index = index
        self.hash = hash
    }
}

/// The state that appending to the tree requires: the roots of the complete subtrees that partition the entries.
///
/// It has value semantics: the writer tries a group of appends on a copy, and keeps the old one if the commit fails.
package struct CompactRange: Equatable, Sendable {
    /// The number of entries.
    package private(set) var size: UInt64 = 0
    /// One root for each bit set in `size`, the largest subtree first.
    private var peaks: [Digest] = []

    /// Creates the range of the empty tree.
    package init() {
        peaks.reserveCapacity(UInt64.bitWidth)
    }

    /// Creates the range of a stored tree.
    ///
    /// - Throws: the error of `storedHash`.
    /// - Complexity: at most 255 calls of `storedHash` per level of tiles.
    package init<Failure>(size: UInt64, storedHash: StoredHashReader<Failure>) throws(Failure) {
        self.init()
        self.size = size
        let reader = TreeReader(size: size)
        var start: UInt64 = 0
        while start < size {
            let count = MerkleTree.largestPowerOfTwo(within: size - start)
            peaks.append(try reader.hash(from: start, count: count, storedHash))
            start += count
        }
    }

    /// Appends an entry by its leaf hash. `completed` receives the hashes of level 1 and above to be stored, which are
    /// the roots of 256 complete children. A log produces each of them once, on each level in the order of the indices.
    ///
    /// - Complexity: one node hash, amortised.
    package mutating func append(_ leafHash: Digest, completed: inout [StoredHash]) {
        var hash = leafHash
        // This resembles adding 1 to a binary number: each set bit is a complete subtree on the left, which is merged.
        for height in 0..<(~size).trailingZeroBitCount {
            hash = MerkleTree.nodeHash(peaks.removeLast(), hash)
            let (level, rest) = (height + 1).quotientAndRemainder(dividingBy: Tile.height)
            if rest == 0 {
                completed.append(StoredHash(level: level, index: size >> UInt64(height + 1), hash: hash))
            }
        }
        peaks.append(hash)
        size += 1
    }

    package mutating func append(contentsOf leafHashes: some Sequence<Digest>, completed: inout [StoredHash]) {
        for leafHash in leafHashes { append(leafHash, completed: &completed) }
    }

    /// The root of the tree of `size` entries.
    package var root: Digest {
        guard let last = peaks.last else { return MerkleTree.emptyRoot }
        return peaks.dropLast().reversed().reduce(last) { right, left in MerkleTree.nodeHash(left, right) }
    }
}
