import Primitives
import Testing

@Suite("JSON views")
struct JSONViewTests {
    @Test func `members are found by their key and keep their order`() throws {
        let root = try JSONDocument(parsing: #" {"b":{"x":[1,{"y":2}]},"a":null,"\u0063":"d"} "#).root
        #expect(root.isObject)
        #expect(root.members.map(\.key) == ["b", "a", "c"])
        #expect(root["b"]?["x"]?.elements?.last?["y"]?.integer == 2)
        #expect(root["a"]?.isNull == true)
        #expect(root["c"]?.string == "d")
        #expect(root["d"] == nil)
        #expect(root["b"]?["y"] == nil)
    }

    @Test func `a key is found by its bytes, not by its looks`() throws {
        let root = try JSONDocument(parsing: #"{"S\u212aU":1,"\u0053KU":2}"#).root
        #expect(root["SKU"]?.integer == 2)
        #expect(try JSONDocument(parsing: #"{"S\u212aU":1}"#).root["SKU"] == nil)
    }

    @Test(arguments: ["null", "true", "1", #""text""#, "[1]", "{}"])
    func `a value read as another type is absent`(text: String) throws {
        let value = try JSONDocument(parsing: text).root
        #expect(value.isNull == (text == "null"))
        #expect((value.bool != nil) == (text == "true"))
        #expect((value.integer != nil) == (text == "1"))
        #expect((value.double != nil) == (text == "1"))
        #expect((value.numberText != nil) == (text == "1"))
        #expect((value.string != nil) == (text == #""text""#))
        #expect((value.plainStringRange != nil) == (text == #""text""#))
        #expect((value.elements != nil) == (text == "[1]"))
        #expect(value.isObject == (text == "{}"))
        #expect(value["a"] == nil)
        #expect(value.members.isEmpty)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("18446744073709551616", nil),
            ("100000000000000000000000000000000000000000", nil), ("1.0", nil), ("1e2", nil), ("0.5", nil), ("1E0", nil),
        ] as [(String, Int64?)])
    func `an integer has no fraction, no exponent and 64 bits`(text: String, value: Int64?) throws {
        #expect(try JSONDocument(parsing: text).root.integer == value)
    }

    @Test(arguments: [
        ("0", 0), ("-1.5", -1.5), ("1e3", 1_000), ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
        ("5e-324", Double.leastNonzeroMagnitude), ("1e400", Double.infinity),
        ("1697679936049.7297", 1_697_679_936_049.7297),
    ])
    func `a number is read as the nearest double`(text: String, value: Double) throws {
        #expect(try JSONDocument(parsing: text).root.double == value)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0000\u001F\u00e9\u20ac""#, "\u{0}\u{1F}é€"),
        (#""\ud83d\ude00\uDBFF\uDFFF\uD800\uDC00""#, "😀\u{10FFFF}\u{10000}"),
        (#""a\u0062c""#, "abc"),
        (#""\\u0061""#, #"\u0061"#),
        ("\"plain é\"", "plain é"),
    ])
    func `escapes are decoded`(text: String, value: String) throws {
        let view = try JSONDocument(parsing: text).root
        #expect(try Array(#require(view.string).utf8) == Array(value.utf8))
        #expect((view.plainStringRange == nil) == text.contains("\\"))
    }

    @Test func `the bytes of a value are those of the text`() throws {
        let text = #"{"a": [1, "x"] , "b" : "yz", "c":-1.5e3 }"#
        let root = try JSONDocument(parsing: text).root
        func bytes(_ view: JSONView?) throws -> String {
            String(decoding: root.document.bytes[try #require(view).byteRange], as: UTF8.self)
        }
        #expect(try bytes(root) == text)
        #expect(try bytes(root["a"]) == #"[1, "x"]"#)
        #expect(try bytes(root["b"]) == "yz")
        #expect(try bytes(root["c"]) == "-1.5e3")
    }
}
