import AppStoreSimulation
import LedgerTesting
import Primitives
import Testing

@Suite("JSON values (RFC 8785)")
struct JSONValueTests {
    /// The numbers of appendix B.
    static let numbers: [(bits: UInt64, text: String)] = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
        (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xC340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
        (0x44B5_2D02_C7E1_4AF6, "1e+23"),
        (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
        (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
        (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
        (0x444B_1AE4_D6E2_EF50, "1e+21"),
        (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"),
        (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
        (0x41B3_DE43_5555_5553, "333333333.3333332"),
        (0x41B3_DE43_5555_5554, "333333333.33333325"),
        (0x41B3_DE43_5555_5555, "333333333.3333333"),
        (0x41B3_DE43_5555_5556, "333333333.3333334"),
        (0x41B3_DE43_5555_5557, "333333333.33333343"),
        (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
        (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    ]

    @Test(arguments: numbers)
    func `numbers are written as ECMAScript writes them`(bits: UInt64, text: String) {
        #expect(String(decoding: JSONValue.double(Double(bitPattern: bits)).canonical(), as: UTF8.self) == text)
    }

    @Test func `any number reads back as itself`() throws {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        for _ in 0..<50_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let text = JSONValue.double(number).canonical()
            #expect(try JSONDocument(parsing: text).root.double == number, "seed \(TestEnvironment.seed)")
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `what is no number in JSON is null`(number: Double) {
        #expect(JSONValue.double(number).serialized() == "null")
    }

    /// The example of §3.2.3, whose keys sort differently by UTF-8 and by scalars.
    @Test func `members are sorted by UTF-16 units`() {
        let value = JSONValue.object(
            [
                "\u{20AC}": "Euro Sign", "\r": "Carriage Return", "\u{FB33}": "Hebrew Letter Dalet With Dagesh",
                "1": "One", "\u{1F600}": "Emoji: Grinning Face", "\u{80}": "Control",
                "\u{F6}": "Latin Small Letter O With Diaeresis",
            ].map { .init($0.key, .string($0.value)) })
        #expect(
            String(decoding: value.canonical(), as: UTF8.self) == """
                {"\\r":"Carriage Return","1":"One","\u{80}":"Control","\u{F6}":"Latin Small Letter O With Diaeresis",\
                "\u{20AC}":"Euro Sign","\u{1F600}":"Emoji: Grinning Face",\
                "\u{FB33}":"Hebrew Letter Dalet With Dagesh"}
                """)
    }

    /// The example of §3.2.2.
    @Test func `the example of the RFC comes out as printed there`() {
        let value = JSONValue.object([
            "numbers": .array([
                .double(333333333.33333329), .double(1E30), .double(4.50), .double(2e-3),
                .double(0.000000000000000000000000001),
            ]),
            "string": .string("\u{20AC}$\u{F}\nA'B\"\\\\\"/"),
            "literals": .array([.null, .bool(true), .bool(false)]),
        ])
        #expect(
            String(decoding: value.canonical(), as: UTF8.self) == #"""
                {"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}
                """#)
    }

    @Test func `members keep their order unless the form is canonical`() {
        let inner = JSONValue.object(["d": .integer(.min), "c": .integer(.max)])
        let value = JSONValue.object(["b": inner, "a": .array([inner, .null])])
        #expect(
            value.serialized() == """
                {"b":{"d":-9223372036854775808,"c":9223372036854775807},\
                "a":[{"d":-9223372036854775808,"c":9223372036854775807},null]}
                """)
        #expect(
            String(decoding: value.canonical(), as: UTF8.self) == """
                {"a":[{"c":9223372036854775807,"d":-9223372036854775808},null],\
                "b":{"c":9223372036854775807,"d":-9223372036854775808}}
                """)
    }

    @Test func `every scalar survives being written and read`() throws {
        var text = String.UnicodeScalarView()
        for value in UInt32(0)...0x10_FFFF where !(0xD800...0xDFFF).contains(value) {
            text.append(try #require(Unicode.Scalar(value)))
        }
        let written = JSONValue.string(String(text)).canonical()
        let read = try #require(try JSONDocument(parsing: written).root.string)
        #expect(read.utf8.elementsEqual(String(text).utf8))
        #expect(!written.contains { $0 < 0x20 })
    }

    @Test func `absent values are null and instants are text`() {
        #expect(JSONValue(nil as String?) == .null)
        #expect(JSONValue(nil as Int?) == .null)
        #expect(JSONValue(nil as Bool?) == .null)
        #expect(JSONValue(nil as Instant?) == .null)
        #expect(JSONValue(Instant(milliseconds: 0)).serialized() == #""1970-01-01T00:00:00.000Z""#)
        #expect(JSONValue.array([JSONValue("x"), JSONValue(7), JSONValue(true)]).serialized() == #"["x",7,true]"#)
        #expect(JSONValue.object(["v": .verbatim(Array(#"{"z":1}"#.utf8))]).serialized() == #"{"v":{"z":1}}"#)
    }
}
