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
        Bad(yaml: "version: 2", place: "f:1:10", words: "an integer from 1 to 1"),
        Bad(yaml: "acess: {}", place: "f:1:1", words: "acess is unknown"),
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
    }
}
