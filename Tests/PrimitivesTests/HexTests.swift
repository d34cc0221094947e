import Primitives
import Testing

@Suite("Hex")
struct HexTests {
    @Test func `every byte is two digits in lower case`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(Hex.encode(bytes) == text)
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "abc", "0g", "g0", " 00", "0x00", "00 ", "0\u{0}", "/0", ":0", "@0", "`0", "é"])
    func `anything but pairs of digits is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
