import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `Proofs for others` {
    private static let note = Array(PublishedNote.note.utf8)

    private static func proof(of index: Int, in size: Int) throws -> LogProof {
        let entries = (0..<size).map { Array("entry \($0)".utf8) }
        let path = try #require(
            TreeReader(size: UInt64(size)).inclusionProof(of: UInt64(index)) { level, index in
                let count = 1 << (8 * level)
                return MerkleTree.root(
                    of: (Int(index) * count..<(Int(index) + 1) * count).map { MerkleTree.leafHash(of: entries[$0]) })
            })
        return LogProof(index: UInt64(index), path: path, note: note)
    }

    @Test func `have the lines of C2SP tlog-proof and the published hashes`() throws {
        let proof = try Self.proof(of: 299, in: 300)
        let lines = String(decoding: proof.bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "c2sp.org/tlog-proof@v1" && lines[1] == "index 299")
        let hashes = try lines[2..<7].map { Hex.encode(try #require(Base64.decode(String($0)))) }
        #expect(
            hashes == [
                "6f2cb0a834e37ffc0e62b2afbea2103a89af8e05b2a6166663dc0fdeede6be67",
                "588b7cd2b021cdf2d600c64ab58a8452ab7dcc3b2247c680c26669f794d45b37",
                "0d2044513639844d3f7a5725444b816a9965faaea2e214660e88710c8e9ac5be",
                "47a3cfbecc97474c55539e0825021f8908ae110b612f3f1f6f9088023223ddd4",
                "da6596d95369f5fef322ab8e4e0da3b0b50236aa9c8a3b1d246f7411c9e2e32e",
            ])
        #expect(lines[7] == "" && Array(proof.bytes.suffix(Self.note.count)) == Self.note)
        let checkpoint = try Checkpoint(
            note: SignedNote(bytes: Self.note), verifier: NoteVerifier(text: TestKey.vkey))
        #expect(proof.verifies(MerkleTree.leafHash(of: Array("entry 299".utf8)), in: checkpoint))
        #expect(!proof.verifies(MerkleTree.leafHash(of: Array("entry 298".utf8)), in: checkpoint))
    }

    @Test func `are read as they were written, and in no other form`() throws {
        for index in [0, 1, 128, 255, 256, 299] {
            let bytes = try Self.proof(of: index, in: 300).bytes
            #expect(try LogProof(bytes: bytes).bytes == bytes)
            for length in 0..<(bytes.count - Self.note.count) {
                #expect(throws: TreeError.self) { try LogProof(bytes: Array(bytes.prefix(length))) }
            }
        }
        let good = String(decoding: try Self.proof(of: 1, in: 2).bytes, as: UTF8.self)
        for (part, other) in [
            ("@v1", "@v2"), ("index 1", "index 01"), ("index 1", "index -1"), ("index 1", "index 1 "),
            ("index 1\n", "extra AAAA\nindex 1\n"), ("index 1\n", "index 1\r\n"), ("index 1\n", "index 1\nAAAA\n"),
            ("=\n\n", "\n\n"), ("index 1", "index 18446744073709551616"),
        ] {
            let bytes = Array(good.replacing(part, with: other, maxReplacements: 1).utf8)
            #expect(treeErrorCode { try LogProof(bytes: bytes) } == .proofMalformed, "\(other)")
        }
        let hashes = String(repeating: Base64.encode([UInt8](repeating: 0, count: 32)) + "\n", count: 65)
        let long = Array(good.replacing("index 1\n", with: "index 1\n" + hashes).utf8)
        #expect(treeErrorCode { try LogProof(bytes: long) } == .proofMalformed)
        let large = Array(good.utf8) + [UInt8](repeating: 0, count: LogProof.bytesMax)
        #expect(treeErrorCode { try LogProof(bytes: large) } == .proofMalformed)
    }
}
