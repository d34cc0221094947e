import Primitives
import TransparencyLog

/// A literal implementation of RFC 6962 §2.1: recursive over ranges of leaves, slow, and independent of the code under
/// test.
struct ReferenceTree {
    let leaves: [Digest]
    private var known: [Range<Int>: Digest] = [:]

    static let entries = (0..<70_000).map { Array("entry \($0)".utf8) }
    static let entryHashes = entries.map { Digest.sha256(of: [0] + $0) }

    init(size: Int) {
        leaves = Array(Self.entryHashes.prefix(size))
    }

    static func node(_ left: Digest, _ right: Digest) -> Digest {
        Digest.sha256(of: [1] + left.bytes + right.bytes)
    }

    static func split(_ count: Int) -> Int {
        var power = 1
        while power * 2 < count { power *= 2 }
        return power
    }

    /// MTH(D[range]).
    mutating func root(_ range: Range<Int>) -> Digest {
        if range.isEmpty { return Digest.sha256(of: []) }
        if range.count == 1 { return leaves[range.lowerBound] }
        if let hash = known[range] { return hash }
        let middle = range.lowerBound + Self.split(range.count)
        let hash = Self.node(root(range.lowerBound..<middle), root(middle..<range.upperBound))
        known[range] = hash
        return hash
    }

    mutating func root(size: Int) -> Digest {
        root(0..<size)
    }

    /// PATH(m, D[range]), with m counted from the first leaf of the tree.
    mutating func path(_ index: Int, _ range: Range<Int>) -> [Digest] {
        if range.count == 1 { return [] }
        let middle = range.lowerBound + Self.split(range.count)
        return index < middle
            ? path(index, range.lowerBound..<middle) + [root(middle..<range.upperBound)]
            : path(index, middle..<range.upperBound) + [root(range.lowerBound..<middle)]
    }

    /// SUBPROOF(m, D[range], b), with m counted from the first leaf of the tree.
    mutating func subproof(_ end: Int, _ range: Range<Int>, _ isKnown: Bool = true) -> [Digest] {
        if end == range.upperBound { return isKnown ? [] : [root(range)] }
        let middle = range.lowerBound + Self.split(range.count)
        return end <= middle
            ? subproof(end, range.lowerBound..<middle, isKnown) + [root(middle..<range.upperBound)]
            : subproof(end, middle..<range.upperBound, false) + [root(range.lowerBound..<middle)]
    }

    /// The stored hash at a level of tiles: the root of 256^level entries.
    mutating func stored(_ level: Int, _ index: UInt64) -> Digest {
        let width = 1 << (8 * level)
        return root(Int(index) * width..<(Int(index) + 1) * width)
    }
}

extension CompactRange {
    /// The edge after the first `size` entries.
    static func grown(to size: Int) -> CompactRange {
        var edge = CompactRange()
        var completed: [StoredHash] = []
        edge.append(contentsOf: ReferenceTree.entryHashes.prefix(size), completed: &completed)
        return edge
    }
}

/// Recomputes the roots to which a proof leads from the definitions of RFC 6962; nil if its length is wrong.
enum ReferenceVerification {
    static func root(of leaf: Digest, at index: Int, size: Int, proof: ArraySlice<Digest>) -> Digest? {
        guard index < size else { return nil }
        if size == 1 { return proof.isEmpty ? leaf : nil }
        guard let last = proof.last else { return nil }
        let left = ReferenceTree.split(size)
        return index < left
            ? root(of: leaf, at: index, size: left, proof: proof.dropLast()).map { ReferenceTree.node($0, last) }
            : root(of: leaf, at: index - left, size: size - left, proof: proof.dropLast())
                .map { ReferenceTree.node(last, $0) }
    }

    typealias Roots = (old: Digest, new: Digest)

    static func roots(
        oldSize: Int, oldRoot: Digest, newSize: Int, proof: ArraySlice<Digest>, isKnown: Bool = true
    ) -> Roots? {
        guard oldSize > 0, oldSize <= newSize else { return nil }
        if oldSize == newSize {
            if isKnown { return proof.isEmpty ? (oldRoot, oldRoot) : nil }
            return proof.count == 1 ? (proof[proof.startIndex], proof[proof.startIndex]) : nil
        }
        guard let last = proof.last else { return nil }
        let left = ReferenceTree.split(newSize)
        let rest = proof.dropLast()
        if oldSize <= left {
            return roots(oldSize: oldSize, oldRoot: oldRoot, newSize: left, proof: rest, isKnown: isKnown)
                .map { ($0.old, ReferenceTree.node($0.new, last)) }
        }
        return roots(oldSize: oldSize - left, oldRoot: oldRoot, newSize: newSize - left, proof: rest, isKnown: false)
            .map { (ReferenceTree.node(last, $0.old), ReferenceTree.node(last, $0.new)) }
    }
}

/// A tree with equal leaves, of any size: its hashes depend on their height alone.
struct UniformTree {
    static let leaf = Digest.sha256(of: [0] + "leaf".utf8)
    private static let complete = (1...63).reduce(into: [leaf]) { hashes, _ in
        hashes.append(ReferenceTree.node(hashes[hashes.count - 1], hashes[hashes.count - 1]))
    }

    static func stored(_ level: Int, _ index: UInt64) -> Digest {
        complete[8 * level]
    }

    static func root(size: UInt64) -> Digest {
        let height = 63 - size.leadingZeroBitCount
        let rest = size - 1 << UInt64(height)
        return rest == 0 ? complete[height] : ReferenceTree.node(complete[height], root(size: rest))
    }
}
