import Primitives
import Testing

@Suite("Digest")
struct DigestTests {
    /// The SHA-256 examples of FIPS 180-4, and the empty message.
    static let vectors: [(message: String, hex: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                + "nopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test(arguments: vectors.indices)
    func `messages hash as published`(index: Int) {
        let (message, hex) = Self.vectors[index]
        #expect(Digest.sha256(of: Array(message.utf8)).hex == hex)
        #expect(Digest.sha256(of: message.utf8.lazy.map { $0 }).hex == hex)
        #expect(Digest(hex: hex) == Digest.sha256(of: message.utf8))
    }

    @Test func `bytes come back as they went in`() throws {
        let bytes = (0..<32).map { UInt8($0 * 7 + 3) }
        let digest = try #require(Digest(bytes: bytes))
        #expect(digest.bytes == bytes)
        #expect(digest.withBytes { Array($0) } == bytes)
        #expect(digest.description == Hex.encode(bytes))
        #expect(Digest.zero.bytes == [UInt8](repeating: 0, count: 32))
    }

    @Test func `the order is that of the bytes`() throws {
        var digests: [Digest] = []
        for place in 0..<32 {
            for value in [UInt8(1), 0x7F, 0x80, 0xFF] {
                var bytes = [UInt8](repeating: 0, count: 32)
                bytes[place] = value
                digests.append(try #require(Digest(bytes: bytes)))
            }
        }
        for left in digests {
            for right in digests {
                #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
                #expect((left == right) == (left.bytes == right.bytes))
            }
        }
        #expect(Set(digests).count == digests.count)
    }

    @Test(arguments: [0, 31, 33, 64])
    func `only 32 bytes are a digest`(count: Int) {
        #expect(Digest(bytes: [UInt8](repeating: 1, count: count)) == nil)
        #expect(Digest(hex: String(repeating: "01", count: count)) == nil)
    }
}
