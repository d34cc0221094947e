import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `Forged Merkle proofs` {
    /// Proofs that differ slightly from a valid one.
    static func mutations(of proof: [Digest]) -> [[Digest]] {
        var mutations = [proof + [Digest.zero], [Digest.zero] + proof]
        for place in proof.indices {
            var (flipped, shortened, repeated) = (proof, proof, proof)
            let words = proof[place].words
            flipped[place] = Digest(words: (words.0, words.1, words.2, words.3 ^ 1))
            shortened.remove(at: place)
            repeated.insert(proof[place], at: place)
            mutations += [flipped, shortened, repeated]
            if place > 0 {
                var swapped = proof
                swapped.swapAt(place, place - 1)
                mutations.append(swapped)
            }
        }
        return mutations
    }

    @Test func `an inclusion proof holds for nothing else`() {
        var generator = SeededRandom()
        var reference = ReferenceTree(size: 2_000)
        for _ in 0..<60 {
            let size = Int.random(in: 1...2_000, using: &generator)
            let index = Int.random(in: 0..<size, using: &generator)
            let root = reference.root(size: size)
            let proof = reference.path(index, 0..<size)
            let comment: Comment = "entry \(index) of \(size), seed \(SeededRandom.seed)"
            func holds(
                _ proof: [Digest], leaf: Digest? = nil, index otherIndex: Int? = nil, root otherRoot: Digest? = nil
            ) -> Bool {
                MerkleTree.verifyInclusion(
                    of: leaf ?? reference.leaves[index], at: UInt64(otherIndex ?? index), size: UInt64(size),
                    root: otherRoot ?? root, proof: proof)
            }
            #expect(holds(proof), comment)
            for mutation in Self.mutations(of: proof) { #expect(!holds(mutation), comment) }
            for other in 0..<2_010 where other != index { #expect(!holds(proof, index: other), comment) }
            #expect(!holds(proof, leaf: reference.leaves[(index + 1) % 2_000]), comment)
            #expect(!holds(proof, root: Digest.zero), comment)
        }
    }

    @Test func `a consistency proof holds for nothing else`() {
        var generator = SeededRandom()
        var reference = ReferenceTree(size: 2_000)
        for _ in 0..<60 {
            let newSize = Int.random(in: 2...2_000, using: &generator)
            let oldSize = Int.random(in: 1..<newSize, using: &generator)
            let (oldRoot, newRoot) = (reference.root(size: oldSize), reference.root(size: newSize))
            let proof = reference.subproof(oldSize, 0..<newSize)
            let comment: Comment = "\(oldSize) in \(newSize), seed \(SeededRandom.seed)"
            func holds(_ proof: [Digest], old: Digest? = nil, new: Digest? = nil) -> Bool {
                MerkleTree.verifyConsistency(
                    oldSize: UInt64(oldSize), oldRoot: old ?? oldRoot, newSize: UInt64(newSize),
                    newRoot: new ?? newRoot, proof: proof)
            }
            #expect(holds(proof), comment)
            for mutation in Self.mutations(of: proof) { #expect(!holds(mutation), comment) }
            #expect(!holds(proof, old: newRoot), comment)
            #expect(!holds(proof, new: oldRoot), comment)
            #expect(!holds(proof, old: reference.root(size: oldSize + 1)), comment)
        }
    }

    /// A root does not commit to a size, so some proofs are valid for several sizes. The definition decides for which.
    @Test func `a proof under other sizes holds exactly where the definition does`() {
        var generator = SeededRandom()
        var reference = ReferenceTree(size: 300)
        for _ in 0..<20_000 {
            let size = Int.random(in: 1...300, using: &generator)
            let number = Int.random(in: 1...size, using: &generator)
            let claimedSize = max(1, size + Int.random(in: -3...3, using: &generator))
            let claimedNumber =
                Bool.random(using: &generator) ? number : Int.random(in: 1...300, using: &generator)
            let comment: Comment =
                "\(number) of \(size) as \(claimedNumber) of \(claimedSize), seed \(SeededRandom.seed)"

            let root = reference.root(size: size)
            let leaf = reference.leaves[number - 1]
            let path = reference.path(number - 1, 0..<size)
            #expect(
                MerkleTree.verifyInclusion(
                    of: leaf, at: UInt64(claimedNumber - 1), size: UInt64(claimedSize), root: root, proof: path)
                    == (ReferenceVerification.root(of: leaf, at: claimedNumber - 1, size: claimedSize, proof: path[...])
                        == root),
                comment)

            let oldRoot = reference.root(size: number)
            let proof = reference.subproof(number, 0..<size)
            let roots = ReferenceVerification.roots(
                oldSize: claimedNumber, oldRoot: oldRoot, newSize: claimedSize, proof: proof[...])
            #expect(
                MerkleTree.verifyConsistency(
                    oldSize: UInt64(claimedNumber), oldRoot: oldRoot, newSize: UInt64(claimedSize), newRoot: root,
                    proof: proof)
                    == (roots?.old == oldRoot && roots?.new == root),
                comment)
        }
    }

    @Test func `proofs of any length for any sizes are answered`() {
        var generator = SeededRandom()
        let extremes: [UInt64] = [0, 1, 2, 3, 255, 256, 257, 1 << 32, 1 << 63, .max - 1, .max]
        for length in [0, 1, 2, 8, 63, 64, 65, 10_000] {
            let proof = [Digest](repeating: UniformTree.leaf, count: length)
            for first in extremes {
                for second in extremes {
                    let root = Digest(words: (generator.next(), 0, 0, 0))
                    #expect(
                        !MerkleTree.verifyInclusion(
                            of: UniformTree.leaf, at: first, size: second, root: root, proof: proof))
                    #expect(
                        !MerkleTree.verifyConsistency(
                            oldSize: first, oldRoot: UniformTree.leaf, newSize: second, newRoot: root, proof: proof))
                }
            }
        }
    }
}
