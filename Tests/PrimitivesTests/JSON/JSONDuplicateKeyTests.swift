import Primitives
import Testing

@Suite("JSON duplicate keys")
struct JSONDuplicateKeyTests {
    @Test(arguments: [
        (#"{"a":1,"a":1}"#, "a"),
        (#"{"a":1,"b":2,"a":3}"#, "a"),
        (#"{"":1,"":2}"#, ""),
        (#"{"a":1,"\u0061":2}"#, "a"),
        (#"{"\u0061":1,"a":2}"#, "a"),
        (#"{"\u0061":1,"\u0061":2}"#, "a"),
        (#"{"\u00e9":1,"é":2}"#, "é"),
        (#"{"é":1,"\u00E9":2}"#, "é"),
        (#"{"😀":1,"\ud83d\ude00":2}"#, "😀"),
        (#"{"\/":1,"/":2}"#, "/"),
        (#"{"\"":1,"\u0022":2}"#, "\""),
        (#"{"\n":1,"\u000a":2}"#, "\n"),
        (#"{"x":{"a":1,"a":2}}"#, "a"),
        (#"[{"b":0},{"b":0,"b":0}]"#, "b"),
    ])
    func `a key that stands twice is refused, however it is written`(text: String, key: String) {
        #expect(throws: JSONError.duplicateKey(key)) { try JSONDocument(parsing: text) }
    }

    /// Keys that differ in their code points, even if they look alike.
    @Test(arguments: [
        "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"K\":1,\"\u{212A}\":2}", #"{"K":1,"\u212a":2}"#, #"{"a":1,"A":2}"#,
        #"{"a":1,"a\u0000":2}"#, #"{"\\u0061":1,"a":2}"#, #"{"a":{"b":1},"b":{"a":1}}"#,
    ])
    func `keys that differ are accepted`(text: String) throws {
        _ = try JSONDocument(parsing: text)
    }

    @Test(arguments: [2, 47, 48, 49, 50, 1_000])
    func `the first and the last key are compared in objects of any size`(count: Int) throws {
        var keys = (0..<count).map { #""key\#($0)""# }
        func text() -> String { "{" + keys.map { $0 + ":0" }.joined(separator: ",") + "}" }
        _ = try JSONDocument(parsing: text())
        keys[count - 1] = keys[0]
        #expect(throws: JSONError.duplicateKey("key0")) { try JSONDocument(parsing: text()) }
        keys[count - 1] = #""\u006bey0""#
        #expect(throws: JSONError.duplicateKey("key0")) { try JSONDocument(parsing: text()) }
    }

    /// Comparing every pair of keys would take 80 billion comparisons, and this test many minutes.
    @Test(arguments: ["k", #"\u006b"#])
    func `an object of 400,000 keys is read`(prefix: String) throws {
        let members = (0..<400_000).map { "\"\(prefix)\($0)\":0" }
        let root = try JSONDocument(parsing: "{" + members.joined(separator: ",") + "}").root
        #expect(root.members.count == 400_000)
        #expect(root["k399999"]?.integer == 0)
        let doubled = "{" + members.joined(separator: ",") + ",\"k0\":0}"
        #expect(throws: JSONError.duplicateKey("k0")) { try JSONDocument(parsing: doubled) }
    }
}
