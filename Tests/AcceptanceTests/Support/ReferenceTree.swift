import Primitives

/// The root of a Merkle tree as RFC 6962 §2.1 defines it, computed from the entries alone.
enum ReferenceTree {
    static func root(of entries: [[UInt8]]) -> Digest {
        root(ofLeaves: entries.map { .sha256(of: [0] + $0) }[...])
    }

    private static func root(ofLeaves leaves: ArraySlice<Digest>) -> Digest {
        switch leaves.count {
        case 0: return .sha256(of: [])
        case 1: return leaves[leaves.startIndex]
        default:
            var left = 1
            while left * 2 < leaves.count { left *= 2 }
            let middle = leaves.startIndex + left
            return .sha256(of: [1] + root(ofLeaves: leaves[..<middle]).bytes + root(ofLeaves: leaves[middle...]).bytes)
        }
    }
}
