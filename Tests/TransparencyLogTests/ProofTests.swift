import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `Merkle proofs` {
    /// Pairs of a smaller and a larger size up to 70,000.
    static let sizePairs: [(Int, Int)] = {
        var generator = SeededRandom()
        let edges = [
            (1, 70_000), (255, 256), (256, 257), (256, 70_000), (65_535, 65_536), (65_536, 70_000), (69_999, 70_000),
        ]
        return edges
            + (0..<40).map { _ in
                let size = Int.random(in: 600...70_000, using: &generator)
                return (Int.random(in: 1..<size, using: &generator), size)
            }
    }()

    @Test func `every entry of every small tree is included`() {
        var reference = ReferenceTree(size: 300)
        for size in 1...300 {
            let tree = TreeReader(size: UInt64(size))
            let root = reference.root(size: size)
            #expect(tree.root { reference.stored($0, $1) } == root)
            for index in 0..<size {
                let proof = tree.inclusionProof(of: UInt64(index)) { reference.stored($0, $1) }
                let expected = reference.path(index, 0..<size)
                #expect(proof == expected, "entry \(index) of \(size)")
                #expect(
                    MerkleTree.verifyInclusion(
                        of: reference.leaves[index], at: UInt64(index), size: UInt64(size), root: root, proof: expected),
                    "entry \(index) of \(size)")
            }
        }
    }

    @Test func `every small tree begins with every smaller one`() {
        var reference = ReferenceTree(size: 300)
        for newSize in 1...300 {
            let newRoot = reference.root(size: newSize)
            for oldSize in 1...newSize {
                let proof = TreeReader(size: UInt64(newSize))
                    .consistencyProof(from: UInt64(oldSize)) { reference.stored($0, $1) }
                let expected = reference.subproof(oldSize, 0..<newSize)
                #expect(proof == expected, "\(oldSize) in \(newSize)")
                #expect(
                    MerkleTree.verifyConsistency(
                        oldSize: UInt64(oldSize), oldRoot: reference.root(size: oldSize),
                        newSize: UInt64(newSize), newRoot: newRoot, proof: expected),
                    "\(oldSize) in \(newSize)")
            }
        }
    }

    @Test(arguments: sizePairs)
    func `proofs of larger trees are those of the definition`(smaller: Int, larger: Int) throws {
        var reference = ReferenceTree(size: larger)
        let tree = TreeReader(size: UInt64(larger))
        let inclusion = try #require(tree.inclusionProof(of: UInt64(smaller)) { reference.stored($0, $1) })
        let consistency = try #require(tree.consistencyProof(from: UInt64(smaller)) { reference.stored($0, $1) })
        let root = reference.root(size: larger)
        let comment: Comment = "\(smaller) in \(larger), seed \(SeededRandom.seed)"
        #expect(inclusion == reference.path(smaller, 0..<larger), comment)
        #expect(consistency == reference.subproof(smaller, 0..<larger), comment)
        #expect(
            MerkleTree.verifyInclusion(
                of: reference.leaves[smaller], at: UInt64(smaller), size: UInt64(larger), root: root, proof: inclusion),
            comment)
        #expect(
            MerkleTree.verifyConsistency(
                oldSize: UInt64(smaller), oldRoot: reference.root(size: smaller),
                newSize: UInt64(larger), newRoot: root, proof: consistency),
            comment)
    }

    @Test func `proofs of the tree of 300 are the published ones`() throws {
        var reference = ReferenceTree(size: 300)
        let (leaf0, leaf2) = (reference.leaves[0], reference.leaves[2])
        #expect(TreeReader(size: 3).inclusionProof(of: 1) { reference.stored($0, $1) } == [leaf0, leaf2])
        let tree = TreeReader(size: 300)
        let inclusion = tree.inclusionProof(of: 299) { reference.stored($0, $1) }
        #expect(
            inclusion?.map(\.hex) == [
                "6f2cb0a834e37ffc0e62b2afbea2103a89af8e05b2a6166663dc0fdeede6be67",
                "588b7cd2b021cdf2d600c64ab58a8452ab7dcc3b2247c680c26669f794d45b37",
                "0d2044513639844d3f7a5725444b816a9965faaea2e214660e88710c8e9ac5be",
                "47a3cfbecc97474c55539e0825021f8908ae110b612f3f1f6f9088023223ddd4",
                "da6596d95369f5fef322ab8e4e0da3b0b50236aa9c8a3b1d246f7411c9e2e32e",
            ])
        let short = tree.consistencyProof(from: 256) { reference.stored($0, $1) }
        #expect(short?.map(\.hex) == ["aee96e10d366c7b5cc99cadc960fc74c24b5d2490d525050612f819b739fe4d5"])
        let long = tree.consistencyProof(from: 3) { reference.stored($0, $1) }
        #expect(
            long?.map(\.hex) == [
                leaf2.hex,
                "61ca1139f6815841d5baf2d0d2d9bd9dfee97c898dd6f7ba0c0aa941ee6c01eb",
                "5a47662fd8a317d96049a3f9f47c55dc67ca66051baa3683dbb19b2fe09a07b0",
                "1a167fbc6b82c2a744f6ffa0a6276175edb00bd30592a5e74f7a21a9d203a828",
                "7c6508ce12bdfcda574204fab8811fb3c1ef64f79f260a5ae3a54eeaf0116a3b",
                "14ac03bb1a8b799a7e1ca3571c7e82732b87134edd4c169a232c049c664053f6",
                "4c93ece1f7ff5b6630eaf7f4431b915a1fe36fafee15ad9d7be2a5eca3d3c95d",
                "65ef11b93a553157969833cbd449c3c9bbed4b8539ca4ffbbcc57777aa944685",
                "0b0018a7956817bbb1552f29af95d3afbffbc77bdecdcd6ed5c99aa3598795e0",
                "aee96e10d366c7b5cc99cadc960fc74c24b5d2490d525050612f819b739fe4d5",
            ])
    }

    /// The lengths, and the SHA-256 of the concatenated hashes, computed with Python's hashlib.
    @Test func `proofs of the tree of 70,000 are those computed elsewhere`() throws {
        var reference = ReferenceTree(size: 70_000)
        let tree = TreeReader(size: 70_000)
        func summary(_ proof: [Digest]?) -> String {
            let hashes = proof ?? []
            return "\(hashes.count) \(Digest.sha256(of: hashes.flatMap(\.bytes)))"
        }
        #expect(
            summary(tree.inclusionProof(of: 69_000) { reference.stored($0, $1) })
                == "14 ebb7e49ee0bac00d3f9fde17d14b8cc25be35f317e04e8f5949b84d4ab67aa51")
        #expect(
            summary(tree.inclusionProof(of: 12_345) { reference.stored($0, $1) })
                == "17 c2c267fa58479cfddaafb588b128dd83de6fe1b84c1979b8e5651fe0318cd8e6")
        #expect(
            summary(tree.consistencyProof(from: 54_321) { reference.stored($0, $1) })
                == "18 162f499b531d0a9ed81c5344c5d4aac1da37cbc309a42bfe6efd0d5beff8b64f")
    }

    @Test func `what is not in the tree has no proof`() {
        let tree = TreeReader(size: 300)
        #expect(tree.inclusionProof(of: 300, UniformTree.stored) == nil)
        #expect(tree.inclusionProof(of: .max, UniformTree.stored) == nil)
        #expect(TreeReader(size: 0).inclusionProof(of: 0, UniformTree.stored) == nil)
        #expect(tree.consistencyProof(from: 301, UniformTree.stored) == nil)
    }

    @Test func `a tree of 2^63 - 1 entries has proofs`() throws {
        let size: UInt64 = 0x7FFF_FFFF_FFFF_FFFF
        let tree = TreeReader(size: size)
        let root = tree.root(UniformTree.stored)
        for number in [1, 255, 256, 1 << 40, size - 1] {
            let inclusion = try #require(tree.inclusionProof(of: number, UniformTree.stored))
            let consistency = try #require(tree.consistencyProof(from: number, UniformTree.stored))
            #expect(
                MerkleTree.verifyInclusion(
                    of: UniformTree.leaf, at: number, size: size, root: root, proof: inclusion))
            #expect(
                MerkleTree.verifyConsistency(
                    oldSize: number, oldRoot: UniformTree.root(size: number), newSize: size, newRoot: root,
                    proof: consistency))
        }
    }

    @Test func `the empty tree and the tree itself need no proof`() {
        var reference = ReferenceTree(size: 300)
        let (root, other) = (reference.root(size: 300), reference.root(size: 299))
        let tree = TreeReader(size: 300)
        #expect(tree.consistencyProof(from: 0) { reference.stored($0, $1) } == [])
        #expect(tree.consistencyProof(from: 300) { reference.stored($0, $1) } == [])
        func holds(_ oldSize: UInt64, _ old: Digest, _ newSize: UInt64, _ new: Digest, _ proof: [Digest] = []) -> Bool {
            MerkleTree.verifyConsistency(oldSize: oldSize, oldRoot: old, newSize: newSize, newRoot: new, proof: proof)
        }
        #expect(holds(0, MerkleTree.emptyRoot, 300, root))
        #expect(holds(0, MerkleTree.emptyRoot, 0, MerkleTree.emptyRoot))
        #expect(holds(300, root, 300, root))
        #expect(!holds(0, other, 300, root))
        #expect(!holds(0, MerkleTree.emptyRoot, 0, root))
        #expect(!holds(0, MerkleTree.emptyRoot, 300, root, [root]))
        #expect(!holds(300, root, 300, other))
        #expect(!holds(300, root, 300, root, [root]))
        #expect(!holds(299, other, 300, root))
    }
}
