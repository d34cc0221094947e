import LedgerAPI
import LedgerConfiguration
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `The offers of a customer` {
    private static let text = """
        version: 1
        bundleId: com.example.app
        groups: [{id: g}, {id: h}]
        products:
          - {id: pro, type: autoRenewable, group: g, duration: P1M,
             offers: [{kind: introductory, payment: payAsYouGo, period: P1M, periods: 2, priceMilliunits: 990}]}
          - {id: music, type: autoRenewable, group: h, duration: P1M}
          - {id: coins, type: consumable}
        """

    private static func purchase(_ id: String, offerType: Int64? = nil, account: String? = nil) -> Purchase {
        var purchase = Purchase(id, account: account)
        (purchase.group, purchase.offerType) = ("g", offerType)
        return purchase
    }

    private static func rows(
        _ shop: TestLedger, _ id: String, product: String? = nil, asOf: Instant = TestLedger.now,
        knownAt: UInt64? = nil, rules: Rules? = nil
    ) throws -> [JSONView] {
        var question = AsOfQuery(asOf: asOf, knownAt: knownAt.map(AsOfQuery.KnownAt.size))
        question.rules = rules
        return try shop.reader.offers(forCustomer: id, product: product, question).json.view["offers"]?.elements ?? []
    }

    private static func reasons(_ rows: [JSONView]) -> [String] {
        rows.map { "\($0["productId"]?.string ?? "?") \($0["reason"]?.string ?? "?")" }
    }

    @Test func `have a row for each product of the catalogue, with the charges of the offer`() async throws {
        let shop = try TestLedger()
        try await shop.apply(Self.text)
        let rows = try Self.rows(shop, "nobody")
        #expect(Self.reasons(rows) == ["music neverSubscribed", "pro neverSubscribed"])
        let pro = try #require(rows.last)
        #expect(
            pro.members.map(\.key) == [
                "bundleId", "productId", "group", "eligible", "reason", "explanation", "decidedBy", "consumedBy",
                "offer", "schedule",
            ])
        #expect(pro["eligible"]?.bool == true && pro["decidedBy"]?.isNull == true && pro["group"]?.string == "g")
        #expect(pro["offer"]?.text == #"{"payment":"payAsYouGo","period":"P1M","periods":2,"price":990}"#)
        #expect(
            pro["schedule"]?.elements?.compactMap { $0["payment"]?.string } == ["payAsYouGo", "payAsYouGo", "standard"])
        #expect(rows.first?["offer"]?.isNull == true && rows.first?["schedule"]?.elements?.count == 1)
    }

    @Test func `name the purchase that used the offer, also where it belongs to another customer`() async throws {
        let shop = try TestLedger()
        try await shop.apply(Self.text)
        let first = Self.purchase("1", offerType: 1, account: "700")
        try await shop.post(first, customerId: "alice")
        #expect(try await shop.post(first, customerId: "bob").refusedCodes == ["link_refused"])
        for id in ["alice", "bob"] {
            let row = try #require(try Self.rows(shop, id, product: "pro").first)
            #expect(row["eligible"]?.bool == false && row["reason"]?.string == "consumed", "\(id)")
            #expect(row["decidedBy"]?.text == #"{"transactionId":"11","position":1}"#)
            #expect(row["consumedBy"]?.elements?.count == 1)
            #expect(
                row["explanation"]?.string
                    == "The introductory offer of this subscription group was used by transaction 11 on 2026-01-14.")
        }
        #expect(Self.reasons(try Self.rows(shop, "carol")) == ["music neverSubscribed", "pro neverSubscribed"])
        #expect(Self.reasons(try Self.rows(shop, "alice", product: "music")) == ["music neverSubscribed"])
    }

    @Test func `stay used for the Apple account whose purchase was transferred to another customer`() async throws {
        let shop = try TestLedger()
        try await shop.apply(Self.text)
        try await shop.post(Self.purchase("1", offerType: 1, account: "700"), customerId: "alice")
        _ = try await shop.ledger.transfer(
            SubscriptionSelector(originalTransactionId: "1"), to: "bob", by: .admin, scope: CustomerScope(),
            source: .operator)
        for id in ["alice", "bob"] {
            #expect(Self.reasons(try Self.rows(shop, id, product: "pro")) == ["pro consumed"], "\(id)")
        }
    }

    @Test func `follow the instant and the log size, and are unknown without a group`() async throws {
        let shop = try TestLedger()
        try await shop.post(Self.purchase("1", account: "700"), customerId: "alice")
        let size = try shop.reader.size()
        #expect(Self.reasons(try Self.rows(shop, "alice")) == ["pro subscribed"])
        let later = TestLedger.now.advanced(byMilliseconds: 26 * 3_600_000)
        #expect(Self.reasons(try Self.rows(shop, "alice", asOf: later)) == ["pro historyIncomplete"])
        let missing = try #require(try Self.rows(shop, "alice", product: "other").first)
        #expect(missing["eligible"]?.isNull == true && missing["reason"]?.string == "groupUnknown")
        #expect(missing["bundleId"]?.isNull == true && missing["schedule"]?.elements?.isEmpty == true)
        try await shop.apply(Self.text)
        #expect(Self.reasons(try Self.rows(shop, "alice", knownAt: size)) == ["pro subscribed"])
        #expect(Self.reasons(try Self.rows(shop, "alice", knownAt: 0)) == [])
        #expect(try Self.rows(shop, "alice").count == 2)
    }

    @Test func `follow the rule about Apple accounts`() async throws {
        let shop = try TestLedger()
        try await shop.post(Self.purchase("1", offerType: 1, account: "700"), customerId: "alice")
        var newer = Self.purchase("2", account: "701")
        newer.number = 2
        try await shop.post(newer, customerId: "alice")
        var rules = Rules()
        #expect(Self.reasons(try Self.rows(shop, "alice")) == ["pro consumed"])
        rules.intro.account = .account
        #expect(Self.reasons(try Self.rows(shop, "alice", rules: rules)) == ["pro subscribed"])
    }
}
