import AppStoreSimulation
import FoundationEssentials
import LedgerTesting
import Primitives
import Testing

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648 §10, and bytes whose encodings differ between the two alphabets.
    static let vectors: [(bytes: [UInt8], padded: String, urlSafe: String)] = [
        ([], "", ""),
        (Array("f".utf8), "Zg==", "Zg"),
        (Array("fo".utf8), "Zm8=", "Zm8"),
        (Array("foo".utf8), "Zm9v", "Zm9v"),
        (Array("foob".utf8), "Zm9vYg==", "Zm9vYg"),
        (Array("fooba".utf8), "Zm9vYmE=", "Zm9vYmE"),
        (Array("foobar".utf8), "Zm9vYmFy", "Zm9vYmFy"),
        ([0xFB, 0xEF, 0xFF], "++//", "--__"),
        ([0xFF], "/w==", "_w"),
        ([0x00, 0x10, 0x83], "ABCD", "ABCD"),
    ]

    @Test(arguments: vectors)
    func `the vectors encode and decode`(bytes: [UInt8], padded: String, urlSafe: String) {
        #expect(Base64.encode(bytes) == padded)
        #expect(Base64URL.encode(bytes) == urlSafe)
        #expect(Base64.decode(padded) == bytes)
        #expect(Base64URL.decode(urlSafe) == bytes)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "Zm9v=", "Zm9v====", "=", "==", "====", "Z===", "Zg==Zg==", "Z=g=",
        "Zh==", "Zm9=", "Zg==\n", " Zg==", "Zm 9v", "Zm9v\r\nZm9v", "Zm-v", "Zm_v", "Zm9\u{0}", "Zm9é", "Zm9.",
    ])
    func `another spelling of padded text is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: [
        "Z", "Zg==", "Zg=", "Zm8=", "Zh", "Zm9", "Zm9vY", "Zg\n", " Zg", "Zm 9v", "Zm+v", "Zm/v", "Zm9\u{0}", "Zm9é",
        "Zm9.", "=", "A\u{7F}AA", "AAA\u{80}",
    ])
    func `another spelling of URL-safe text is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `of all texts of two and three letters exactly the canonical ones are accepted`() {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for (first, a) in letters.enumerated() {
            for (second, b) in letters.enumerated() {
                let byte = UInt8(truncatingIfNeeded: first << 2 | second >> 4)
                let two = [a, b].withUnsafeBytes(Base64URL.decode(_:))
                guard two == (second & 15 == 0 ? [byte] : nil) else {
                    Issue.record("\([a, b])")
                    return
                }
                for (third, c) in letters.enumerated() {
                    let next = UInt8(truncatingIfNeeded: second << 4 | third >> 2)
                    let three = [a, b, c].withUnsafeBytes(Base64URL.decode(_:))
                    guard three == (third & 3 == 0 ? [byte, next] : nil) else {
                        Issue.record("\([a, b, c])")
                        return
                    }
                }
            }
        }
    }

    @Test func `a byte outside the alphabet is refused at every place`() {
        let url = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for length in [2, 3, 4, 7, 8, 11] {
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "A"), count: length)
                    text[place] = byte
                    let decoded = text.withUnsafeBytes(Base64URL.decode(_:))
                    if !url.contains(byte) { #expect(decoded == nil, "\(byte) at \(place) of \(length)") }
                }
            }
        }
    }

    @Test func `random bytes come back, and agree with another decoder`() {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        for round in 0..<5_000 {
            let bytes = (0..<round % 97).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let padded = Base64.encode(bytes)
            #expect(Data(base64Encoded: padded).map(Array.init) == bytes)
            #expect(Base64.decode(padded) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            var appended = Array("x".utf8)
            Base64URL.append(bytes.span.bytes, to: &appended)
            #expect(String(decoding: appended.dropFirst(), as: UTF8.self) == Base64URL.encode(bytes))
        }
    }

    @Test func `what is accepted is the one spelling of its value`() {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        var accepted = 0
        for _ in 0..<50_000 {
            var text = Array(Base64.encode((0..<random.below(12)).map { UInt8(truncatingIfNeeded: $0 &* 37) }).utf8)
            for _ in 0...random.below(2) where !text.isEmpty {
                text[random.below(text.count)] = random.element(of: Array("AQgwZ=+/-_9 \n".utf8))
            }
            if let bytes = text.withUnsafeBytes(Base64.decode(_:)) {
                accepted += 1
                #expect(Array(Base64.encode(bytes).utf8) == text, "seed \(TestEnvironment.seed)")
            }
            if let bytes = text.withUnsafeBytes(Base64URL.decode(_:)) {
                #expect(Array(Base64URL.encode(bytes).utf8) == text, "seed \(TestEnvironment.seed)")
            }
        }
        #expect(accepted > 1_000)
    }
}
