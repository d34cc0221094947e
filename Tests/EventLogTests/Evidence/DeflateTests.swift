import EventLog
import LedgerTesting
import Primitives
import Testing

@Suite struct `Raw deflate` {
    @Test func `gives back what it took, of any length`() {
        var generator = SeededRandom()
        for _ in 0..<2_000 {
            let plain =
                generator.chance(50)
                ? generator.bytes(Int.random(in: 0...3_000, using: &generator))
                : [UInt8](repeating: 7, count: Int.random(in: 0...100_000, using: &generator))
            let dictionary = generator.bytes(generator.pick([0, 1, 700]))
            let deflate = Deflate(dictionary: dictionary)
            guard let packed = deflate.deflated(plain) else {
                Issue.record("not deflated, seed \(SeededRandom.seed)")
                return
            }
            #expect(deflate.inflated(packed, byteCount: plain.count, dictionary: dictionary) == plain)
            #expect(deflate.inflated(packed, byteCount: plain.count + 1, dictionary: dictionary) == nil)
            if !plain.isEmpty {
                #expect(deflate.inflated(packed, byteCount: plain.count - 1, dictionary: dictionary) == nil)
            }
            #expect(deflate.inflated(packed + [0], byteCount: plain.count, dictionary: dictionary) == nil)
            #expect(deflate.inflated(packed.dropLast(), byteCount: plain.count, dictionary: dictionary) == nil)
        }
    }

    /// RFC 1951 streams written by hand: a stored block, and "aaa" under the fixed codes.
    @Test func `reads what others wrote`() {
        let deflate = Deflate(dictionary: [])
        #expect(deflate.inflated([0x01, 3, 0, 0xFC, 0xFF, 1, 2, 3], byteCount: 3, dictionary: []) == [1, 2, 3])
        #expect(deflate.inflated([0x4B, 0x4C, 0x4C, 0x04, 0x00], byteCount: 3, dictionary: []) == Array("aaa".utf8))
        #expect(deflate.inflated([0x03, 0x00], byteCount: 0, dictionary: []) == [])
    }

    /// Streams of Python's zlib: one with a preset dictionary and one with its own codes (a dynamic block).
    @Test func `reads what zlib wrote`() throws {
        let deflate = Deflate(dictionary: [])
        let dictionary = Array(#""environment":"Sandbox","environment":"Production""#.utf8)
        let withDictionary = try #require(Hex.decode("abc62da5a354589a9857925952a96465886244b192553492e1487a626b01"))
        let environments = Array(
            #"{"environment":"Production","quantity":1,"environments":["Sandbox","Production"]}"#.utf8)
        #expect(
            deflate.inflated(withDictionary, byteCount: environments.count, dictionary: dictionary) == environments)
        #expect(deflate.inflated(withDictionary, byteCount: environments.count, dictionary: []) == nil)
        let ownCodes = try #require(
            Hex.decode(
                "25ceb18a02411004d07f99b882ed9ee99969c3d3451644414431124fee609355710ce4b87fb7c0a082ee"
                    + "8247fd85e9dac6dff1726ee375dabd6e3f611616c3e2b4edd7fd21203c9edfedf3fd1a56ab61bd6433df"
                    + "ecfbed91e5fd799edad85e61d6c153875a23aa6694ec28a2c86630afb02448352169412c1da244a86588"
                    + "3b2429aa412b3c3322bc128a17148a9962a668148d62a21829468a4a51290a45a148d09d89ce2144d538"
                    + "a4febf01"))
        let numbers = (0..<40).map { "\($0 * 7_919 % 997)" }.joined(separator: ",")
        let plain = Array(
            #"{"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY","quantity":\#(numbers)}"#.utf8)
        #expect(deflate.inflated(ownCodes, byteCount: plain.count, dictionary: []) == plain)
    }

    @Test func `is used again after bytes that were none of its`() {
        var generator = SeededRandom()
        let deflate = Deflate(dictionary: [])
        let plain = Array("the same after every failure".utf8)
        let packed = deflate.deflated(plain) ?? []
        for _ in 0..<2_000 {
            _ = deflate.inflated(generator.bytes(60), byteCount: 300, dictionary: generator.bytes(20))
            #expect(deflate.inflated(packed, byteCount: plain.count, dictionary: []) == plain)
        }
    }
}
