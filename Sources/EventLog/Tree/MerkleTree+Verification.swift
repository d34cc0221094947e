package import Primitives

/// Checking proofs without the tree. Any input is answered, and a proof longer than the depth of the tree is refused
/// before it is all hashed.
///
/// A root does not commit to the number of entries: a proof may hold for another size under which the entry's path
/// takes the same turns. Size and root belong together in what a checkpoint signs, and must be taken from there.
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
    /// Every tree begins with the empty one and with itself; the proof is then empty and the root must be the known
    /// one.
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
        // An old tree that is complete is itself the node the proof starts from.
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

/// The way from a node up to the root: the node's index among those of its level, and that of the last one. (`fn` and
/// `sn` of RFC 9162.)
private struct Path {
    var node: UInt64
    var last: UInt64

    var isAtRoot: Bool { last == 0 }
    var siblingIsLeft: Bool { node & 1 == 1 || node == last }

    mutating func climb() {
        // The last node of an odd level has no sibling: it stands for itself on the levels above, until it is a right
        // child.
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
