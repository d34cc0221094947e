import AppStoreModel
import Primitives
import Testing

@Suite("Dates of payloads")
struct PayloadDateTests {
    @Test(
        arguments: [
            ("1697679936049.7297", 1_697_679_936_050), ("1697679936711.0747", 1_697_679_936_711),
            ("1697679936049.5", 1_697_679_936_050), ("-62135769600000", -62_135_769_600_000), ("-1", -1), ("-0", 0),
            ("-1.5", -2), ("-1.4", -1), ("0", 0), ("1.7e12", 1_700_000_000_000), ("1700000000000.0", 1_700_000_000_000),
            ("-62167219200000", -62_167_219_200_000), ("-62167219200000.4", -62_167_219_200_000),
            ("253402300799999", 253_402_300_799_999), ("253402300799999.4", 253_402_300_799_999),
        ] as [(String, Int64)])
    func `a date is rounded to the nearest millisecond`(json: String, milliseconds: Int64) throws {
        #expect(try transaction(signedDate: json).signedDate?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "-62167219200001", "-62167219200000.5", "253402300800000", "253402300799999.5", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "1e15", "-1e15", "1e400", "-1e400",
        "100000000000000000000000000000000",
    ])
    func `a date outside the years 0000 to 9999 is refused`(json: String) {
        #expect(throws: PayloadError.dateOutOfRange(field: "signedDate", found: json)) {
            try transaction(signedDate: json)
        }
    }

    /// Dates in different objects of a payload.
    @Test(arguments: [
        ("expiresDate", #"{"expiresDate":1e15}"#),
        ("commitmentExpiresDate", #"{"commitmentInfo":{"commitmentExpiresDate":1e15}}"#),
        ("revocationDate", #"{"advancedCommerceInfo":{"items":[{},{"revocationDate":1e15}]}}"#),
        ("refundDate", #"{"advancedCommerceInfo":{"items":[{"refunds":[{"refundDate":1e15}]}]}}"#),
    ])
    func `a bad date is refused wherever it stands`(field: String, text: String) throws {
        let root = try JSONDocument(parsing: Array(text.utf8)).root
        #expect(throws: PayloadError.dateOutOfRange(field: field, found: "1e15")) { try Transaction(root) }
    }

    @Test(arguments: [
        (#""2024-01-01""#, "string"), (#""1700000000000""#, "string"), (#""""#, "string"), ("true", "boolean"),
        ("[1]", "array"), ("{}", "object"),
    ])
    func `a date that is no number is refused`(json: String, type: String) throws {
        let refusal = PayloadError.claimMalformed(
            claim: "signedDate", expected: .number, found: try #require(JSONType(rawValue: type)))
        #expect(throws: refusal) { try transaction(signedDate: json) }
    }

    @Test func `a date that is null is absent`() throws {
        #expect(try transaction(signedDate: "null").signedDate == nil)
    }

    private func transaction(signedDate json: String) throws -> Transaction {
        try Transaction(JSONDocument(parsing: Array(#"{"signedDate":\#(json)}"#.utf8)).root)
    }
}
