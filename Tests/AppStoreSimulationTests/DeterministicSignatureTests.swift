import AppStoreSimulation
import Crypto
import Primitives
import Testing

@Suite("Deterministic signature")
struct DeterministicSignatureTests {
    /// RFC 6979, A.2.5: ECDSA, 256 bits, with SHA-256.
    @Test(arguments: [
        (
            "sample", "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
        ),
        (
            "test", "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
            "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
        ),
    ])
    func `signatures are those of RFC 6979`(message: String, r: String, s: String) throws {
        let secret = try #require(Hex.decode("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"))
        let key = try P256.Signing.PrivateKey(rawRepresentation: secret)
        let signature = DeterministicSignature.sign(SHA256.hash(data: Array(message.utf8)), key: key)
        #expect(Hex.encode(signature) == (r + s).lowercased())
    }

    @Test func `signatures of many keys and messages verify`() throws {
        for number in 0..<200 {
            let key = P256.Signing.PrivateKey()
            let digest = SHA256.hash(data: Array("\(number)".utf8))
            let raw = DeterministicSignature.sign(digest, key: key)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
            #expect(key.publicKey.isValidSignature(signature, for: digest))
        }
    }
}
