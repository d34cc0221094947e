import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `Right edge` {
    /// Sizes around the completion of nodes and tiles, and random ones.
    static let sizes: [Int] = {
        var generator = SeededRandom()
        let edges = [0, 1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 65_791, 65_792, 65_793, 70_000]
        return edges + (0..<24).map { _ in Int.random(in: 600...70_000, using: &generator) }
    }()

    @Test func `the root after each append is that of the definition`() {
        var reference = ReferenceTree(size: 600)
        var edge = CompactRange()
        var completed: [StoredHash] = []
        #expect(edge.root == MerkleTree.emptyRoot)
        for leaf in reference.leaves {
            edge.append(leaf, completed: &completed)
            #expect(edge.root == reference.root(size: Int(edge.size)), "size \(edge.size)")
        }
        #expect(edge.size == 600)
    }

    @Test(arguments: sizes)
    func `the root of a larger tree is that of the definition`(size: Int) {
        var reference = ReferenceTree(size: size)
        #expect(
            CompactRange.grown(to: size).root == reference.root(size: size), "size \(size), seed \(SeededRandom.seed)")
    }

    @Test func `the root of each 256 complete children is given out once, in order`() {
        var reference = ReferenceTree(size: 70_000)
        var edge = CompactRange()
        var completed: [StoredHash] = []
        for leaf in reference.leaves {
            let before = completed.count
            edge.append(leaf, completed: &completed)
            for hash in completed[before...] {
                #expect(edge.size == (hash.index + 1) << UInt64(8 * hash.level))
            }
        }
        let level1 = (0..<273).map { StoredHash(level: 1, index: $0, hash: reference.stored(1, $0)) }
        let level2 = [StoredHash(level: 2, index: 0, hash: reference.stored(2, 0))]
        #expect(completed == level1.prefix(256) + level2 + level1.dropFirst(256))
    }

    @Test func `a copy can be tried without touching the original`() {
        let before = CompactRange.grown(to: 255)
        var after = before
        var completed: [StoredHash] = []
        after.append(ReferenceTree.entryHashes[255], completed: &completed)
        #expect(before.size == 255)
        #expect(before.root.hex == "cf66793e6329dff242eb3cee0a6f36ad3e3a196dcc573a1ec775e102be863f1c")
        #expect(after.root.hex == "da6596d95369f5fef322ab8e4e0da3b0b50236aa9c8a3b1d246f7411c9e2e32e")
    }

    @Test(arguments: Array(3...600) + sizes)
    func `an edge read from stored hashes is the one that was grown`(size: Int) {
        var reference = ReferenceTree(size: size)
        let edge = CompactRange(size: UInt64(size)) { level, index in reference.stored(level, index) }
        #expect(edge == CompactRange.grown(to: size), "size \(size), seed \(SeededRandom.seed)")
    }

    @Test(arguments: [
        0x1, 0xFF, 0xFFFF, 0xFF_FFFF, 0x100_0000, 0x100_0001, 0x1234_5678_9ABC, 0x7FFF_FFFF_FFFF_FFFF,
    ])
    func `reading the edge of a tree of any size takes at most 255 hashes a level`(size: UInt64) {
        var reads: [Int: Int] = [:]
        var isWithin = true
        let edge = CompactRange(size: size) { level, index in
            reads[level, default: 0] += 1
            isWithin = isWithin && index < size >> UInt64(8 * level)
            return UniformTree.stored(level, index)
        }
        #expect(edge.root == UniformTree.root(size: size))
        #expect(isWithin)
        #expect(reads.values.allSatisfy { $0 <= 255 })
        for level in 0..<8 { #expect(reads[level] ?? 0 == Int(size >> UInt64(8 * level) & 255)) }
    }

    @Test func `an append can complete a hash on every level`() {
        var edge = CompactRange(size: 0xFF_FFFF, storedHash: UniformTree.stored)
        var completed: [StoredHash] = []
        edge.append(UniformTree.leaf, completed: &completed)
        #expect(
            completed == [
                StoredHash(level: 1, index: 0xFFFF, hash: UniformTree.stored(1, 0)),
                StoredHash(level: 2, index: 0xFF, hash: UniformTree.stored(2, 0)),
                StoredHash(level: 3, index: 0, hash: UniformTree.stored(3, 0)),
            ])
        #expect(edge.root == UniformTree.root(size: 0x100_0000))
    }

    @Test func `an edge that cannot be read is an error of the reader`() {
        struct Missing: Error {}
        #expect(throws: Missing.self) {
            try CompactRange(size: 300) { (_, _) throws(Missing) in throw Missing() }
        }
    }
}
