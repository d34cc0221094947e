import AppStoreModel
import AppStoreVerification
import Primitives
import Testing

struct `BER of receipts` {
    /// One attribute, 2 = "app", in several encodings.
    @Test(arguments: [
        ("definite lengths", "310f300d0201020201010405 0c03617070"),
        ("a long form of a length", "318110300e02010202010104060c8103617070"),
        ("leading zeros in a length", "318400000012 3010 020102 020101 0483000005 0c03617070"),
        ("an indefinite set", "3180300d02010202010104050c036170700000"),
        ("indefinite lengths within each other", "3180308002010202010104050c0361707000000000"),
        ("a wrapped set", "0411310f300d02010202010104050c03617070"),
    ])
    func `readable encodings give the same attribute`(_ title: String, _ hex: String) throws {
        let bytes = try #require(Hex.decode(hex.replacing(" ", with: "")))
        let receipt = try AppReceipt(asn1: bytes)
        #expect(receipt.bundleId == "app", "\(title)")
    }

    @Test func `strings in segments are joined`() throws {
        // The value of the attribute in two segments, then the whole content in an indefinite string of two segments.
        let segments = try #require(Hex.decode("24090403 0c036104 02 7070".replacing(" ", with: "")))
        let attribute = [0x30, UInt8(6 + segments.count), 2, 1, 2, 2, 1, 1] + segments
        let set = [0x31, UInt8(attribute.count)] + attribute
        #expect(try AppReceipt(asn1: set).bundleId == "app")
        let wrapped = [0x24, 0x80, 0x04, 5] + set[..<5] + [0x04, UInt8(set.count - 5)] + set[5...] + [0, 0]
        #expect(try AppReceipt(asn1: Array(wrapped)).bundleId == "app")
    }

    @Test(arguments: [
        ("nothing", ""), ("no set", "0201 02"), ("a set that is too long", "3102 30"),
        ("an indefinite set without its end", "3180300d02010202010104050c03617070"),
        ("an indefinite primitive", "0480 00 00"), ("bytes after the set", "3100 00"),
        ("a length of the length that does not fit", "31ff 01"), ("a length beyond 32 bits", "3185 0100000000"),
        ("a tag number above 30", "1f81 00"), ("an attribute that is no sequence", "3103 020102"),
        ("an attribute without a value", "3108 3006 020102 020101"),
        ("a type beyond 64 bits", "3116 3014 0209 01 0000000000000000 020101 0404 00000000"),
    ])
    func `malformed content is refused`(_ title: String, _ hex: String) throws {
        let bytes = try #require(Hex.decode(hex.replacing(" ", with: "")))
        let error = #expect(throws: Refusal.self, "\(title)") { try AppReceipt(asn1: bytes) }
        #expect(error?.code == .asn1Malformed, "\(title)")
    }

    @Test func `content deeper than fifty levels is refused, in little time`() throws {
        let deep = Array(repeating: [0x24, 0x80] as [UInt8], count: 400_000).flatMap(\.self)
        let error = #expect(throws: Refusal.self) { try AppReceipt(asn1: deep) }
        #expect(error?.code == .asn1Limit)
    }

    @Test func `more than a hundred thousand purchases are refused`() throws {
        let purchase: [UInt8] = [0x30, 10, 2, 1, 17, 2, 1, 1, 4, 2, 0x31, 0]
        func content(_ count: Int) -> [UInt8] {
            [0x31, 0x80] + Array(repeating: purchase, count: count).flatMap(\.self) + [0, 0]
        }
        #expect(try AppReceipt(asn1: content(AppReceipt.purchaseLimit)).inApp.count == AppReceipt.purchaseLimit)
        let error = #expect(throws: Refusal.self) { try AppReceipt(asn1: content(AppReceipt.purchaseLimit + 1)) }
        #expect(error?.code == .asn1Limit)
    }

    @Test func `an attribute that Apple adds is kept, whatever its octets`() throws {
        let receipt = try AppReceipt(asn1: [0x31, 12, 0x30, 10, 2, 1, 99, 2, 1, 1, 4, 2, 0xFF, 0xFF])
        #expect(receipt.attributes.map(\.type.rawValue) == [99])
        #expect(receipt.attributes[0].value == .octets([0xFF, 0xFF]))
    }
}
