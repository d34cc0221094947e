import Primitives
import Testing

@Suite("JSON grammar (RFC 8259)")
struct JSONGrammarTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "7", "-7", "10", "1234567890", "0.5", "-0.5", "1e5", "1E5", "1e+5", "1e-05",
        "1.5E-3", "1e400", "123456789012345678901234567890", #""""#, #""a""#, "[]", "{}", "[[]]", "[1]", "[1,2]",
        #"{"a":1}"#, #"{"a":1,"b":[{}]}"#, #"{"":0}"#, " [ 1 , 2 ] ", "\t\r\n {\"a\" : 1 }\n", "[\n]", "{ }",
        #"["\"\\\/\b\f\n\r\t"]"#, #"["\u0000\u001f\u00e9\u20AC"]"#, #"["\ud83d\ude00"]"#, #"["\uDBFF\uDFFF"]"#,
        "\"\u{7F}\"", "\"é€😀\"", "\"\u{FFFF}\u{10FFFF}\"", #"{"A":1,"a":2}"#, #"{"a":{"a":{"a":1}}}"#,
        #"[{"a":1},{"a":1}]"#, #"{"a":1,"a ":2}"#, #"["\u0022"]"#, #""0123456701234567\n0123456701234567""#,
    ])
    func `texts of the grammar are accepted`(text: String) throws {
        let document = try JSONDocument(parsing: text)
        #expect(String(decoding: document.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "NULL", "tru", "undefined", "NaN", "Infinity", "-Infinity", "-", "+1", "01",
        "-01", "00", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1e5.5", "0x10", "1_000", "1 2", "1,", "--1", "[", "]",
        "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "[1;2]", "{", "}", "{]", "[}", #"{"a""#, #"{"a":"#, #"{"a":1"#,
        #"{"a":1,"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, "{a:1}", "{'a':1}", "{1:1}",
        "{null:1}", #"{"a"::1}"#, #"""#, #""a"#, "'a'", #"""a""#, #""\"#, #""\""#, #""\x41""#, #""\a""#, #""\'""#,
        #""\u""#, #""\u1""#, #""\u12""#, #""\u123""#, #""\u123g""#, #""\U0041""#, #""\u 041""#, "[1]//x", "[1]/*x*/",
        "#[1]", "[1]x", "[1][2]", "{}{}", "\u{FEFF}[1]", "\u{A0}[1]", "[1]\u{0}", "\u{0B}[1]", "\u{0C}[1]",
        "[1]\u{2028}", "\"\u{0}\"", "\"\u{1F}\"", "\"\n\"", "\"\t\"", "\"0123456\u{1}\"", "\"01234567012345\n7\"",
        "\"0123456701234567", "[tru\"e\"]",
    ])
    func `texts outside the grammar are refused`(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: text) }
        guard case .malformed = error else {
            Issue.record("\(text) is refused as \(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        #"\ud83d"#, #"\ud83d "#, #"\ud83dx"#, #"\ud83d\n"#, #"\ud83d\u0041"#, #"\ud83d\ud83d"#, #"\ude00"#,
        #"\ude00\ud83d"#, #"\udbff"#, #"\udfff"#, #"\ud83d\u"#, #"\ud83d\"#, #"\ud83d\ude0"#,
    ])
    func `a surrogate without its partner is refused`(escape: String) {
        #expect(throws: JSONError.self) { try JSONDocument(parsing: "\"\(escape)\"") }
    }

    /// Ill-formed UTF-8 (Unicode, table 3-7): overlong forms, surrogates, values beyond U+10FFFF, truncated sequences,
    /// and trail bytes without a lead byte.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xFE], [0xFF], [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x20],
            [0xC2, 0xC2],
            [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
            [0xF0, 0x9F, 0x98, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xC3, 0xA9, 0x80],
        ] as [[UInt8]])
    func `bytes that are no UTF-8 are refused`(bytes: [UInt8]) {
        for prefix in ["", "0123456", "01234567", "é"] {
            for (opening, closing) in [("\"", "\""), ("{\"", "\":1}"), ("[\"x\",\"", "\"]")] {
                let before = Array((opening + prefix).utf8)
                let error = #expect(throws: JSONError.self) {
                    try JSONDocument(parsing: before + bytes + Array(closing.utf8))
                }
                guard case .notUTF8 = error else {
                    Issue.record("\(bytes) after \(prefix) is refused as \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test func `the ends of the UTF-8 ranges are accepted`() throws {
        let scalars: [Unicode.Scalar] = [
            "\u{80}", "\u{7FF}", "\u{800}", "\u{FFF}", "\u{1000}", "\u{CFFF}", "\u{D000}", "\u{D7FF}", "\u{E000}",
            "\u{FFFF}", "\u{10000}", "\u{3FFFF}", "\u{40000}", "\u{FFFFF}", "\u{100000}", "\u{10FFFF}",
        ]
        let text = String(String.UnicodeScalarView(scalars))
        #expect(try JSONDocument(parsing: "\"\(text)\"").root.string == text)
    }

    @Test(arguments: [
        ("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]"),
    ])
    func `32 levels are accepted and 33 are not`(opening: String, closing: String) throws {
        let levels = opening.count(where: { $0 == "[" || $0 == "{" })
        func nested(_ depth: Int) -> String {
            let pairs = depth / levels
            let extra = depth % levels
            return String(repeating: opening, count: pairs) + String(repeating: "[", count: extra) + "0"
                + String(repeating: "]", count: extra) + String(repeating: closing, count: pairs)
        }
        _ = try JSONDocument(parsing: nested(32))
        #expect(throws: JSONError.tooDeep(limit: 32)) { try JSONDocument(parsing: nested(33)) }
        #expect(throws: JSONError.tooDeep(limit: 32)) { try JSONDocument(parsing: nested(100_000)) }
        #expect(throws: JSONError.tooDeep(limit: 2)) {
            try JSONDocument(parsing: Array(nested(3).utf8), depthLimit: 2)
        }
    }

    @Test func `depth is of nesting, not of length`() throws {
        let flat = "[" + Array(repeating: "[{}]", count: 1_000).joined(separator: ",") + "]"
        _ = try JSONDocument(parsing: Array(flat.utf8), depthLimit: 3)
    }
}
