import Primitives
import Testing
import TransparencyLog

@Suite struct `Merkle tree hashes` {
    @Test func `an entry is hashed after a zero byte`() {
        #expect(
            ReferenceTree.entries.prefix(3).map { MerkleTree.leafHash(of: $0).hex } == [
                "773885a613489e24ce2cf76199d6a423f042e4bbf12d7eecee912ef276c65701",
                "2dfb36c6f66cac361429cf46df868ab8242d3a6441f1099c8fb3f98ec5d108a4",
                "57c79f4f31ae029c5d4bd30b073c27c94df93438b2b4697e1e1eef5bc0394a41",
            ])
    }

    @Test func `an empty entry has the hash of a zero byte`() {
        // printf '\0' | sha256sum
        #expect(
            MerkleTree.leafHash(of: []).hex == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d")
    }

    @Test(arguments: [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "773885a613489e24ce2cf76199d6a423f042e4bbf12d7eecee912ef276c65701"),
        (2, "5a47662fd8a317d96049a3f9f47c55dc67ca66051baa3683dbb19b2fe09a07b0"),
        (3, "94fbd0dd836f50301692e6d0eade728ee19ec52bfff1606ed807c8575d5aaa19"),
        (255, "cf66793e6329dff242eb3cee0a6f36ad3e3a196dcc573a1ec775e102be863f1c"),
        (256, "da6596d95369f5fef322ab8e4e0da3b0b50236aa9c8a3b1d246f7411c9e2e32e"),
        (257, "5c1fdfe835358022f2392de478dbe053fc130cfe1d3a082879a90cf6bf14bf7e"),
        (300, "ca393d0296bec5e0b8dcab983bd1fb7d1461f512e7267cb89631ad26fd66d848"),
        // The remaining roots were computed with Python's hashlib.
        (65_536, "07b1a377960a4e12e3348d6e9329ae6316a95b02fb1c22e909231b3aa44861a7"),
        (70_000, "a3920fba7f239a071a9bd10721f1341addefbaededb41c7e24437a9d16bdf00a"),
    ])
    func `the root is that of RFC 6962`(size: Int, root: String) {
        let leaves = ReferenceTree.entryHashes.prefix(size)
        #expect(MerkleTree.root(of: leaves).hex == root)
        #expect(CompactRange.grown(to: size).root.hex == root)
        #expect(MerkleTree.emptyRoot == Digest.sha256(of: []))
    }
}
