import EventLog
import Primitives
import Testing

@Suite struct `Raw deflate` {
    @Test func `gives back what it took, of any length`() {
        var generator = SeededGenerator()
        for _ in 0..<2_000 {
            let plain =
                generator.chance(50)
                ? generator.bytes(Int.random(in: 0...3_000, using: &generator))
                : [UInt8](repeating: 7, count: Int.random(in: 0...100_000, using: &generator))
            let dictionary = generator.bytes(generator.pick([0, 1, 700]))
            let deflate = Deflate(dictionary: dictionary)
            guard let packed = deflate.deflated(plain) else {
                Issue.record("not deflated, seed \(SeededGenerator.seed)")
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

    /// RFC 1951 by hand: a stored block, and "aaa" under the fixed codes.
    @Test func `reads what others wrote`() {
        let deflate = Deflate(dictionary: [])
        #expect(deflate.inflated([0x01, 3, 0, 0xFC, 0xFF, 1, 2, 3], byteCount: 3, dictionary: []) == [1, 2, 3])
        #expect(deflate.inflated([0x4B, 0x4C, 0x4C, 0x04, 0x00], byteCount: 3, dictionary: []) == Array("aaa".utf8))
        #expect(deflate.inflated([0x03, 0x00], byteCount: 0, dictionary: []) == [])
    }

    @Test func `is used again after bytes that were none of its`() {
        var generator = SeededGenerator()
        let deflate = Deflate(dictionary: [])
        let plain = Array("the same after every failure".utf8)
        let packed = deflate.deflated(plain) ?? []
        for _ in 0..<2_000 {
            _ = deflate.inflated(generator.bytes(60), byteCount: 300, dictionary: generator.bytes(20))
            #expect(deflate.inflated(packed, byteCount: plain.count, dictionary: []) == plain)
        }
    }
}
