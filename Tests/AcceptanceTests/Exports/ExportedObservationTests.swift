import LedgerTesting
import Primitives
import TableFiles
import Testing

/// Compares the tables of observations with the claims that Apple signed, read without the ledger.
@Suite struct `Exported observations` {
    private static let tables: [SignedStatement.Kind: String] = [
        .transaction: "transactions", .renewalInfo: "renewal_infos",
    ]
    /// The claims that are personal data.
    private static let personal: Set<String> = ["appAccountToken", "appTransactionId"]

    @Test func `have every claim of every statement once`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<20 { try await ledger.play(to: night, from: &next) }
        let export = try await ledger.export(.jsonLines, asOf: ledger.instant(of: 19), to: "full")
        let files = try NightlyLedger.files(of: export)
        let statements = try ledger.delivered.flatMap(SignedStatement.all)
        for (kind, table) in Self.tables {
            let rows = try String(decoding: files["\(table)/part-00000.jsonl"] ?? [], as: UTF8.self)
                .split(separator: "\n").map { try JSONDocument(parsing: Array($0.utf8)).root }
            let found = Dictionary(grouping: rows) { $0["statement_sha256"]?.string ?? "" }
            let expected = Dictionary(
                statements.filter { $0.kind == kind }.map { ($0.digest, $0.payload) }
            ) { first, _ in first }
            #expect(Set(found.keys) == Set(expected.keys))
            #expect(rows.count == expected.count && rows.count > 100)
            for (digest, payload) in expected {
                let row = try #require(found[digest]?.first)
                #expect(row["trust"]?.string == "signed" && row["rank"]?.integer == 5)
                for member in payload.members { Self.expect(row, has: member.key, member.value) }
            }
        }
    }

    private static func expect(_ row: JSONView, has claim: String, _ value: JSONView) {
        if claim == "commitmentInfo" {
            for member in value.members { expect(row, has: member.key, member.value) }
            return
        }
        let cell = row.member(column(of: claim))
        if personal.contains(claim) {
            #expect(cell?.isNull == true, "\(claim)")
        } else if let number = value.integer, claim.hasSuffix("Date") {
            #expect(cell?.string == Instant(milliseconds: number).iso8601, "\(claim)")
        } else if let number = value.integer, claim.lowercased().hasSuffix("price") {
            #expect(cell?.string.flatMap(milliunits) == number, "\(claim)")
        } else {
            #expect(cell.map { JSONValue($0).canonical() } == JSONValue(value).canonical(), "\(claim)")
        }
    }

    private static func column(of claim: String) -> String {
        claim.reduce(into: "") { name, character in
            name += character.isUppercase ? "_" + character.lowercased() : String(character)
        }
    }

    private static func milliunits(_ decimal: String) -> Int64? {
        Int64(decimal.split(separator: ".").joined())
    }
}
