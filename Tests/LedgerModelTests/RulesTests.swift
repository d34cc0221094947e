import LedgerModel
import Primitives
import Testing

@Suite struct `The rules` {
    @Test func `wait an hour for a renewal by default, and grant nothing that Apple does not`() {
        let rules = Rules()
        #expect(rules.access.ownGraceDays == 0)
        #expect(rules.access.limitedAccessDays == 0)
        #expect(rules.access.renewalLeewayMinutes == 60)
        #expect(rules.access.proratedRefund == .revoke)
        #expect(rules.customers.claimConflict == .keepFirst)
    }

    /// Rules in which every setting differs from its default.
    private static let other = {
        var rules = Rules()
        rules.name = "Größe \"2\""
        rules.access.ownGraceDays = 3
        rules.access.limitedAccessDays = 7
        rules.access.renewalLeewayMinutes = 120
        rules.access.proratedRefund = .keepToExpiry
        rules.intro.account = .account
        rules.customers.claimConflict = .share
        return rules
    }()

    /// The texts are written by hand, and their digests come from sha256sum.
    @Test(
        arguments: [
            (
                Rules(),
                #"{"access":{"limitedAccessDays":0,"ownGraceDays":0,"proratedRefund":"revoke","#
                    + #""renewalLeewayMinutes":60},"customers":{"claimConflict":"keepFirst"},"#
                    + #""intro":{"account":"customer"},"name":"default","version":1}"#,
                "1e720813bd34c7b9378ca3116384211327a43cd304053b6d68814c8c24851d16"
            ),
            (
                other,
                #"{"access":{"limitedAccessDays":7,"ownGraceDays":3,"proratedRefund":"keepToExpiry","#
                    + #""renewalLeewayMinutes":120},"customers":{"claimConflict":"share"},"#
                    + #""intro":{"account":"account"},"name":"Größe \"2\"","version":1}"#,
                "647f43594761ed31fcf53a1014160e3e8ba13e856001c7cd692f13f9bef8d304"
            ),
        ])
    func `have the digest of their canonical JSON, defaults included`(rules: Rules, text: String, digest: String) throws
    {
        #expect(String(decoding: rules.json.canonical(), as: UTF8.self) == text)
        #expect(rules.digest.hex == digest)
        #expect(try Rules(json: JSONDocument(parsing: Array(text.utf8)).root) == rules)
    }

    @Test(arguments: [
        #"{"name":"a"}"#, #"{"version":2,"name":"a"}"#, #"{"version":1}"#,
        #"{"version":1,"name":"a","churn":{"retryDays":60}}"#,
        #"{"version":1,"name":"a","access":{"v1GrantsAccess":true}}"#,
        #"{"version":1,"name":"a","access":{"ownGraceDays":367}}"#,
        #"{"version":1,"name":"a","access":{"ownGraceDays":"3"}}"#,
        #"{"version":1,"name":"a","customers":{"claimConflict":"first"}}"#,
    ])
    func `are not read from JSON that only another version knows`(text: String) throws {
        #expect(try Rules(json: JSONDocument(parsing: Array(text.utf8)).root) == nil)
    }

    @Test func `take omitted settings of their JSON from the defaults`() throws {
        let text = #"{"version":1,"name":"default","access":{"ownGraceDays":2}}"#
        var expected = Rules()
        expected.access.ownGraceDays = 2
        #expect(try Rules(json: JSONDocument(parsing: Array(text.utf8)).root) == expected)
    }
}
