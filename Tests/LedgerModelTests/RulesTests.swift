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
        rules.retention.definition = .revenueCat
        rules.retention.bridge = .retry
        rules.retention.zone = "Europe/Berlin"
        rules.retention.weekStartsOn = .sunday
        rules.churn.winBackToDays = 365
        rules.revenue.mrr = .iapkit
        rules.revenue.smallBusiness = [("2021-01-01", "2022-01-01"), ("2024-07-01", nil)].compactMap { from, until in
            Rules.Span(from: Instant(iso8601: from) ?? .latest, until: until.flatMap { Instant(iso8601: $0) })
        }
        rules.customers.claimConflict = .share
        return rules
    }()

    /// The texts are written by hand, and their digests come from sha256sum.
    @Test(
        arguments: [
            (
                Rules(),
                #"{"access":{"limitedAccessDays":0,"ownGraceDays":0,"proratedRefund":"revoke","#
                    + #""renewalLeewayMinutes":60},"churn":{"retryDays":60,"winBackFromDays":1,"#
                    + #""winBackToDays":730},"customers":{"claimConflict":"keepFirst"},"#
                    + #""intro":{"account":"customer"},"name":"default","retention":{"bridge":"grace","#
                    + #""definition":"default","weekStartsOn":"monday","zone":"UTC"},"#
                    + #""revenue":{"gapResetsAfterDays":60,"higherAfterPaidDays":365,"higherRate":8500,"#
                    + #""mrr":"default","smallBusiness":[],"standardRate":7000},"version":1}"#,
                "49ea17102f81d94aaacc4a8ba0c0f416b3453f5ffbd97ef980652ec855c744a0"
            ),
            (
                other,
                #"{"access":{"limitedAccessDays":7,"ownGraceDays":3,"proratedRefund":"keepToExpiry","#
                    + #""renewalLeewayMinutes":120},"churn":{"retryDays":60,"winBackFromDays":1,"#
                    + #""winBackToDays":365},"customers":{"claimConflict":"share"},"#
                    + #""intro":{"account":"account"},"name":"Größe \"2\"","retention":{"bridge":"retry","#
                    + #""definition":"revenuecat-2024-10","weekStartsOn":"sunday","zone":"Europe/Berlin"},"#
                    + #""revenue":{"gapResetsAfterDays":60,"higherAfterPaidDays":365,"higherRate":8500,"#
                    + #""mrr":"iapkit","smallBusiness":[{"from":"2021-01-01T00:00:00.000Z","#
                    + #""until":"2022-01-01T00:00:00.000Z"},{"from":"2024-07-01T00:00:00.000Z","#
                    + #""until":null}],"standardRate":7000},"version":1}"#,
                "74274d3ebcb1019ac3df1ad90c831fb754b20740bad2f506885af89015e7cd53"
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
        #"{"version":1,"name":"a","refunds":{"days":60}}"#,
        #"{"version":1,"name":"a","retention":{"zone":"../etc"}}"#,
        #"{"version":1,"name":"a","retention":{"definition":"revenuecat-2025-01"}}"#,
        #"{"version":1,"name":"a","revenue":{"smallBusiness":[{"from":"2024-07-01","until":"2024-07-01"}]}}"#,
        #"{"version":1,"name":"a","revenue":{"smallBusiness":[{"until":"2024-07-01"}]}}"#,
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
