import FoundationEssentials
import LedgerConfiguration
import LedgerModel
import Primitives
import Testing

@Suite struct `A rules file` {
    @Test func `gives the defaults when it is empty`() throws {
        #expect(try Rules(yaml: "", file: "f") == Rules())
        #expect(try Rules(yaml: "version: 1\nname: default\n", file: "f") == Rules())
    }

    @Test func `sets every member it names`() throws {
        let rules = try Rules(
            yaml: """
                version: 1
                name: generous
                access: {ownGraceDays: 3, limitedAccessDays: 7, renewalLeewayMinutes: 120, proratedRefund: keepToExpiry}
                customers: {claimConflict: share}
                """, file: "f")
        var expected = Rules()
        expected.name = "generous"
        expected.access.ownGraceDays = 3
        expected.access.limitedAccessDays = 7
        expected.access.renewalLeewayMinutes = 120
        expected.access.proratedRefund = .keepToExpiry
        expected.customers.claimConflict = .share
        #expect(rules == expected)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let yaml: String
        let place: String
        let words: String
        var testDescription: String { yaml }
    }

    @Test(arguments: [
        Bad(yaml: "name: [a]", place: "f:1:7", words: "a text"),
        Bad(yaml: "name: \"a\\tb\"", place: "f:1:7", words: "1 to 100 bytes without control characters"),
        Bad(yaml: "name: \(String(repeating: "é", count: 51))", place: "f:1:7", words: "1 to 100 bytes"),
        Bad(yaml: "version: 2", place: "f:1:10", words: "an integer from 1 to 1"),
        Bad(yaml: "acess: {}", place: "f:1:1", words: "acess is unknown"),
        Bad(yaml: "version: 1\nname: a\nrefunds: {days: 60}", place: "f:3:1", words: "refunds is unknown"),
        Bad(yaml: "retention: {zone: ../../etc/passwd}", place: "f:1:19", words: "a time zone"),
        Bad(yaml: "retention:\n  definition: revenuecat-2025-01", place: "f:2:15", words: "revenuecat-2024-10"),
        Bad(
            yaml: "revenue:\n  smallBusiness: [{from: 2024-07-01, until: 2024-01-01}]", place: "f:2:19",
            words: "until after from"),
        Bad(yaml: "revenue: {smallBusiness: [{until: 2024-07-01}]}", place: "f:1:27", words: "from"),
        Bad(yaml: "access: {v1GrantsAccess: false}", place: "f:1:10", words: "access.v1GrantsAccess is unknown"),
        Bad(yaml: "access: 3", place: "f:1:9", words: "a mapping"),
        Bad(yaml: "access: {ownGraceDays: 1, ownGraceDays: 2}", place: "f:1:10", words: "duplicate key"),
        Bad(yaml: "access: {ownGraceDays: 1.5}", place: "f:1:24", words: "an integer from 0 to 366"),
        Bad(yaml: "access: {ownGraceDays: '3'}", place: "f:1:24", words: "an integer from 0 to 366"),
        Bad(yaml: "access: {ownGraceDays: 99999999999999999999}", place: "f:1:24", words: "an integer from 0"),
        Bad(yaml: "access: {\n  limitedAccessDays: 367}", place: "f:2:22", words: "an integer from 0 to 366"),
        Bad(yaml: "customers: {claimConflict: }\n---\nname: b", place: "f:2:1", words: "not valid YAML"),
        Bad(yaml: "access: {ownGraceDay: 1}", place: "f:1:10", words: "access.ownGraceDay is unknown"),
        Bad(yaml: "access: {ownGraceDays: -1}", place: "f:1:24", words: "an integer from 0 to 366"),
        Bad(yaml: "access: {renewalLeewayMinutes: 1441}", place: "f:1:32", words: "an integer from 0 to 1440"),
        Bad(yaml: "access: {proratedRefund: keep}", place: "f:1:26", words: "one of revoke, keepToExpiry"),
        Bad(yaml: "customers: {claimConflict: first}", place: "f:1:28", words: "one of keepFirst, move, share"),
        Bad(yaml: "access: [", place: "f:2:1", words: "not valid YAML"),
    ])
    func `is refused where it is wrong`(_ bad: Bad) throws {
        let error = try #require(throws: ConfigurationError.self) { _ = try Rules(yaml: bad.yaml, file: "f") }
        #expect(error.place == bad.place)
        let text = [error.message, error.expected, error.found].compactMap(\.self).joined(separator: " | ")
        #expect(text.contains(bad.words), "\(text)")
        #expect(error.diagnosis.code == "rules_invalid")
    }

    private static func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/subledger-rules-\(UUID().uuidString).yaml"
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test func `is read as a whole, with the text that an activation stores`() throws {
        let text = "access: {ownGraceDays: 3}  # three days\n"
        try Self.withFile(text) { path in
            let file = try RulesFile(path: path)
            #expect(file.text == text)
            #expect(file.rules.access.ownGraceDays == 3)
        }
    }

    @Test func `is refused for a time zone that this machine does not have`() throws {
        try Self.withFile("name: a\nretention:\n  zone: America/Berlin\n") { path in
            let error = try #require(throws: ConfigurationError.self) { _ = try RulesFile(path: path) }
            #expect(error.diagnosis.code == "rules_invalid")
            #expect(error.place == "\(path):3:9")
            #expect(error.found == "America/Berlin")
        }
        try Self.withFile("retention: {zone: America/Los_Angeles}\n") { path in
            let rules = try RulesFile(path: path).rules
            #expect(rules.retention.zone == "America/Los_Angeles")
        }
    }

    @Test func `is refused when it changes while it is read`() throws {
        try Self.withFile("access: {ownGraceDays: 3}\n") { path in
            let error = try #require(throws: ConfigurationError.self) {
                _ = try RulesFile(path: path) { try Data("access: {}\n".utf8).write(to: URL(filePath: path)) }
            }
            #expect(error.diagnosis.code == "rules_invalid")
            #expect(error.found == "a change while it was read")
            #expect(try RulesFile(path: path).rules == Rules())
        }
    }

    @Test(arguments: [String(repeating: "#", count: 1 << 20 + 1), "name: \u{1}"])
    func `is refused when it is too long or has characters that YAML lacks`(text: String) throws {
        try Self.withFile(text) { path in
            let error = try #require(throws: ConfigurationError.self) { _ = try RulesFile(path: path) }
            #expect(error.diagnosis.code == "rules_invalid")
        }
        let missing = try #require(throws: ConfigurationError.self) { _ = try RulesFile(path: "/nowhere/rules.yaml") }
        #expect(missing.diagnosis.code == "rules_invalid")
    }
}

@Suite struct `The documentation of the rules` {
    @Test func `lists every key of the README with its values, its default and its question`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let expected = Rules.keys.map { key in
            "| `\(key.path)` | \(key.values) | \(key.value(in: Rules())) | \(key.question) |"
        }
        let sections = Rules.sections.map { "| `\($0)." }
        let found = readme.split(separator: "\n").map(String.init)
            .filter { line in sections.contains(where: line.hasPrefix) }
        #expect(found == expected)
    }
}
