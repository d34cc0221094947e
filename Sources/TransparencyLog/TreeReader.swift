package import Primitives

/// Reads a stored hash: `(0, i)` is the leaf hash of entry i; `(level, i)` is the root of the 256^level entries
/// from i · 256^level. Only complete hashes within the size of the tree are requested.
package typealias StoredHashReader<Failure: Error> = (_ level: Int, _ index: UInt64) throws(Failure) -> Digest

/// Computes the root, the proofs and the tiles of the tree over the first `size` entries from stored hashes.
///
/// The log may have grown since; entries beyond `size` are never read.
package struct TreeReader: Sendable {
    package let size: UInt64

    package init(size: UInt64) {
        self.size = size
    }

    /// - Complexity: at most 255 stored hashes per level of tiles.
    package func root<Failure>(_ storedHash: StoredHashReader<Failure>) throws(Failure) -> Digest {
        size == 0 ? MerkleTree.emptyRoot : try hash(from: 0, count: size, storedHash)
    }

    /// Returns the siblings of the entry at `index` from the leaf to the root (RFC 6962 §2.1.1); nil if there is no
    /// such entry.
    ///
    /// - Complexity: at most 255 stored hashes per level of tiles, and as many again at the right edge.
    package func inclusionProof<Failure>(
        of index: UInt64, _ storedHash: StoredHashReader<Failure>
    ) throws(Failure) -> [Digest]? {
        guard index < size else { return nil }
        var proof: [Digest] = []
        var (start, count) = (UInt64(0), size)
        while count > 1 {
            let left = MerkleTree.splitPoint(of: count)
            if index - start < left {
                proof.append(try hash(from: start + left, count: count - left, storedHash))
                count = left
            } else {
                proof.append(try hash(from: start, count: left, storedHash))
                (start, count) = (start + left, count - left)
            }
        }
        return proof.reversed()
    }

    /// Returns the nodes that show that this tree begins with the tree of `oldSize` entries (RFC 6962 §2.1.2); nil if
    /// that tree is larger. The proof is empty for the empty tree and for this tree itself.
    ///
    /// - Complexity: the same as for an inclusion proof.
    package func consistencyProof<Failure>(
        from oldSize: UInt64, _ storedHash: StoredHashReader<Failure>
    ) throws(Failure) -> [Digest]? {
        guard oldSize <= size else { return nil }
        guard oldSize > 0 else { return [] }
        var proof: [Digest] = []
        // Descends to the subtree that ends where the old tree ends.
        var (start, count) = (UInt64(0), size)
        while oldSize - start < count {
            let left = MerkleTree.splitPoint(of: count)
            if oldSize - start <= left {
                proof.append(try hash(from: start + left, count: count - left, storedHash))
                count = left
            } else {
                proof.append(try hash(from: start, count: left, storedHash))
                (start, count) = (start + left, count - left)
            }
        }
        // The verifier already has the root of the whole old tree.
        if start > 0 { proof.append(try hash(from: start, count: count, storedHash)) }
        return proof.reversed()
    }

    /// Returns the body of a tile, which is its hashes in order; nil if this tree does not have all of them.
    ///
    /// A partial tile is a prefix of any wider one, so every width up to the tree's own is available.
    package func body<Failure>(
        of tile: Tile, _ storedHash: StoredHashReader<Failure>
    ) throws(Failure) -> [UInt8]? {
        guard tile.isComplete(inTreeOf: size) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tile.width * Digest.byteCount)
        for index in tile.indices {
            try storedHash(tile.level, index).withBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Returns the root over `count` entries from `start`, a subtree of RFC 6962 §2.1: `start` is a multiple of the
    /// smallest power of two not below `count`. The recursion is as deep as the subtree, at most 64.
    func hash<Failure>(
        from start: UInt64, count: UInt64, _ storedHash: StoredHashReader<Failure>
    ) throws(Failure) -> Digest {
        let height = count.trailingZeroBitCount
        if count == 1 << UInt64(height), height.isMultiple(of: Tile.height) {
            return try storedHash(height / Tile.height, start >> UInt64(height))
        }
        let left = MerkleTree.splitPoint(of: count)
        return MerkleTree.nodeHash(
            try hash(from: start, count: left, storedHash),
            try hash(from: start + left, count: count - left, storedHash)
        )
    }
}
