package import Primitives

/// A hash that is stored once and never changes: the root of the 256^level entries from `index` · 256^level.
package struct StoredHash: Hashable, Sendable {
    /// Level of tiles, 0 for leaf hashes.
    package let level: Int
    package let index: UInt64
    package let hash: Digest

    package init(level: Int, index: UInt64, hash: Digest) {
        self.level = level
        self.index = index
        self.hash = hash
    }
}

/// All that appending to the tree needs: the roots of the complete subtrees the entries so far divide into.
///
/// A value: the writer tries a group of appends on a copy, and keeps the old one if the commit fails.
package struct RightEdge: Equatable, Sendable {
    /// The number of entries.
    package private(set) var size: UInt64 = 0
    /// One root for each bit set in `size`, the largest subtree first.
    private var peaks: [Digest] = []

    /// The edge of the tree without entries.
    package init() {
        peaks.reserveCapacity(UInt64.bitWidth)
    }

    /// The edge of a tree that is stored.
    ///
    /// - Throws: what `storedHash` throws.
    /// - Complexity: at most 255 calls of `storedHash` for each level of tiles.
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

    /// Adds an entry by its leaf hash. `completed` receives the hashes of level 1 and above that are to be stored, each
    /// once in the life of a log and in the order of their indices on each level: the roots of 256 complete children.
    ///
    /// - Complexity: one node hash, amortised.
    package mutating func append(_ leafHash: Digest, completed: inout [StoredHash]) {
        var hash = leafHash
        // As in adding 1 to a binary number: each bit already set is a finished subtree to the left to merge with.
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
