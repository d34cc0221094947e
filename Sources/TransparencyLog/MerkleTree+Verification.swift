package import Primitives

/// Verification of proofs without the tree. Any input is accepted. A proof longer than the depth of the tree is refused
/// before all of it is hashed.
///
/// A root does not commit to the number of entries: a proof may also verify for another size in which the entry's path
/// takes the same turns. Size and root must both come from the same signed checkpoint.
extension MerkleTree {
    /// Whether `proof` (RFC 6962 §2.1.1) shows that the entry at `index` of the tree of `size` and `root` has this leaf
    /// hash. The algorithm is that of RFC 9162 §2.1.3.2.
    package static func verifyInclusion(
        of leafHash: Digest, at index: UInt64, size: UInt64, root: Digest, proof: [Digest]
    ) -> Bool {
        guard index < size else { return false }
        var path = Path(node: index, last: size - 1)
        var hash = leafHash
        for sibling in proof {
            guard !path.isAtRoot else { return false }
            hash = path.siblingIsLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling)
            path.climb()
        }
        return path.isAtRoot && hash == root
    }

    /// Whether `proof` (RFC 6962 §2.1.2) shows that the tree of `newSize` and `newRoot` begins with the entries of the
    /// tree of `oldSize` and `oldRoot`. The algorithm is that of RFC 9162 §2.1.4.2.
    ///
    /// Every tree extends the empty one and itself. The proof is then empty, and the old root must be that of the empty
    /// tree or equal the new root.
    package static func verifyConsistency(
        oldSize: UInt64, oldRoot: Digest, newSize: UInt64, newRoot: Digest, proof: [Digest]
    ) -> Bool {
        guard oldSize <= newSize else { return false }
        guard newSize > 0 || newRoot == emptyRoot else { return false }
        if oldSize == 0 { return proof.isEmpty && oldRoot == emptyRoot }
        if oldSize == newSize { return proof.isEmpty && oldRoot == newRoot }

        var path = Path(node: oldSize - 1, last: newSize - 1)
        path.skipRightTurns()
        var siblings = proof[...]
        // If the old tree is complete, the proof starts from its root.
        let isComplete = oldSize & (oldSize - 1) == 0
        guard let start = isComplete ? oldRoot : siblings.popFirst() else { return false }
        var old = start
        var new = start
        for sibling in siblings {
            guard !path.isAtRoot else { return false }
            if path.siblingIsLeft {
                old = nodeHash(sibling, old)
                new = nodeHash(sibling, new)
            } else {
                new = nodeHash(new, sibling)
            }
            path.climb()
        }
        return path.isAtRoot && old == oldRoot && new == newRoot
    }
}

/// The path from a node to the root: the node's index on its level, and the index of the level's last node (`fn` and
/// `sn` of RFC 9162).
private struct Path {
    var node: UInt64
    var last: UInt64

    var isAtRoot: Bool { last == 0 }
    var siblingIsLeft: Bool { node & 1 == 1 || node == last }

    mutating func climb() {
        // The last node of an odd level has no sibling. It moves up unchanged until it is a right child.
        if node & 1 == 0, node == last {
            while node & 1 == 0, node != 0 { up() }
        }
        up()
    }

    mutating func skipRightTurns() {
        while node & 1 == 1 { up() }
    }

    private mutating func up() {
        node >>= 1
        last >>= 1
    }
}
