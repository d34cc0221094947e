import AppStoreModel
import Ingestion
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `Entitlements and products of a customer` {
    private static let text = """
        version: 1
        bundleId: com.example.app
        groups: [{id: g}]
        products:
          - {id: pro, type: autoRenewable, group: g, level: 2, duration: P1M, entitlements: [pro]}
          - {id: max, type: autoRenewable, group: g, level: 1, duration: P1M, entitlements: [pro, max]}
          - {id: unlock, type: nonConsumable, entitlements: [unlocked]}
          - {id: trial, type: nonConsumable, trial: {unlocks: unlock, duration: P2D}, entitlements: [trying]}
          - {id: season, type: nonRenewing, duration: P1D, entitlements: [season]}
          - {id: endless, type: nonRenewing, entitlements: [endless]}
          - {id: coins, type: consumable}
        """

    private static func purchase(_ id: String, _ productId: String, _ type: String? = nil, number: Int = 1) -> Purchase
    {
        var purchase = Purchase(id, number: number)
        purchase.productId = productId
        if let type { purchase.type = type }
        return purchase
    }

    private static func shop(_ purchases: Purchase..., text: String = text) async throws -> TestLedger {
        let shop = try TestLedger()
        try await shop.apply(text)
        for purchase in purchases { try await shop.post(purchase, customerId: "alice") }
        return shop
    }

    private static func hours(_ number: Int64) -> Instant {
        TestLedger.now.advanced(byMilliseconds: number * 3_600_000)
    }

    @Test func `of an unknown customer are none, and all products new`() async throws {
        let shop = try await Self.shop()
        let answer = try shop.customer("nobody")
        #expect(answer["entitled"]?.bool == false && answer["entitlements"]?.elements?.isEmpty == true)
        #expect(
            try shop.products(of: "nobody")
                == ["endless new", "max new", "pro new", "season new", "trial new", "unlock new"])
        #expect(answer["groups"]?.elements?.first?.text == #"{"bundleId":"com.example.app","group":"g","state":"new"}"#)
        let sandbox = try shop.customer("nobody", environment: .sandbox)
        #expect(sandbox["products"]?.elements?.count == 6)
    }

    /// An answer of verifyReceipt about the products, which states no types.
    private static func answer(refunded id: String? = nil, at time: Int64 = 1_768_478_000_000) -> [UInt8] {
        let rows = ["unlock", "season", "coins", "unheard"].enumerated().map { index, product in
            let refund = "\(index + 1)" == id ? #","cancellation_date_ms":"1768477900000""# : ""
            return
                #"{"transaction_id":"\#(index + 1)","original_transaction_id":"\#(index + 1)","product_id":"\#(product)","#
                + #""purchase_date_ms":"1768477000000"\#(refund)}"#
        }
        return Array(
            """
            {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app",\
            "receipt_creation_date_ms":"\(time)","request_date_ms":"\(time)",\
            "in_app":[\(rows.joined(separator: ","))]}}
            """.utf8)
    }

    private static func ingest(_ answer: [UInt8], in shop: TestLedger) async throws {
        let content = FoundArtifact.Content(artifact: answer, unsigned: .assertedAnswer)
        let checked = await shop.ledger.check(content, source: .file)
        let outcome = try await shop.ledger.append([checked], source: .file)[0]
        if let refusal = outcome.refusal { throw refusal }
    }

    @Test func `come from purchases whose type only the catalogue knows`() async throws {
        let shop = try TestLedger()
        try await Self.ingest(Self.answer(), in: shop)
        for id in 1...4 {
            _ = try await shop.ledger.link(
                SubscriptionSelector(originalTransactionId: "\(id)"), to: "alice", by: .admin, scope: CustomerScope(),
                source: .operator)
        }
        func row(_ id: String) throws -> SubscriptionRow? {
            try shop.reader.state(
                of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: TestLedger.now)
            )?.subscriptions.first
        }
        #expect(try shop.customer("alice")["entitled"]?.bool == false && row("1") == nil)

        try await shop.apply(Self.text)
        func entitlements() throws -> [String]? {
            try shop.customer("alice")["entitlements"]?.elements?.compactMap { $0["id"]?.string }
        }
        #expect(try entitlements() == ["season", "unlocked"])
        #expect(try row("1")?.entitled == true && row("4") == nil)
        #expect(
            try shop.products(of: "alice") == [
                "endless new", "max new", "pro new", "season active", "trial new", "unheard inactive", "unlock active",
            ])
        let bought = try shop.customer("alice")["purchases"]?.elements?.compactMap { $0["productId"]?.string }
        #expect(bought == ["coins", "season"] || bought == ["season", "coins"])

        try await Self.ingest(Self.answer(refunded: "1", at: 1_768_478_100_000), in: shop)
        #expect(try entitlements() == ["season"])
        try await Self.ingest(Self.answer(refunded: "2", at: 1_768_478_200_000), in: shop)
        #expect(try entitlements() == [])
    }

    @Test func `name their purchases and their ends`() async throws {
        let shop = try await Self.shop(
            Self.purchase("1", "pro"), Self.purchase("2", "max"), Self.purchase("3", "unlock", "Non-Consumable"))
        let entitlements = try #require(try shop.customer("alice")["entitlements"]?.elements)
        #expect(entitlements.compactMap { $0["id"]?.string } == ["max", "pro", "unlocked"])
        #expect(
            entitlements.map { $0["because"]?.elements?.compactMap { $0["originalTransactionId"]?.string } ?? [] } == [
                ["2"], ["1", "2"], ["3"],
            ])
        // The end of access, an hour of leeway after the end of the period.
        #expect(
            entitlements.map { $0["until"]?.string } == ["2026-01-16T13:00:00.000Z", "2026-01-16T13:00:00.000Z", nil])
        let later = Self.hours(25)
        #expect(try shop.entitlements(of: "alice", asOf: later) == ["unlocked"])
        #expect(try shop.products(of: "alice", asOf: later).contains("pro inactive"))
        #expect(try shop.customer("alice", asOf: later)["groups"]?.elements?.first?["state"]?.string == "inactive")
    }

    @Test func `leave a replaced product inactive while its group is active`() async throws {
        let shop = try await Self.shop(Self.purchase("1", "pro"), Self.purchase("1", "max", number: 2))
        #expect(try shop.products(of: "alice").contains("pro inactive"))
        #expect(try shop.products(of: "alice").contains("max active"))
        #expect(try shop.customer("alice")["groups"]?.elements?.first?["state"]?.string == "active")
    }

    @Test func `of products that the catalogue lacks are none, though the customer stays entitled`() async throws {
        let shop = try await Self.shop(Self.purchase("1", "other"))
        let answer = try shop.customer("alice")
        #expect(answer["entitled"]?.bool == true)
        #expect(try shop.entitlements(of: "alice") == [])
        #expect(try shop.products(of: "alice").contains("other active"))
        try await shop.apply(
            Self.text + "\n  - {id: other, type: autoRenewable, group: g, duration: P1M, entitlements: [o]}")
        #expect(try shop.entitlements(of: "alice") == ["o"])
    }

    @Test func `of non-renewing subscriptions last for the duration, one purchase after the other`() async throws {
        let type = "Non-Renewing Subscription"
        var refunded = Self.purchase("2", "season", type, number: 2)
        let shop = try await Self.shop(
            Self.purchase("1", "season", type), refunded, Self.purchase("3", "endless", type))
        // Bought at noon and at one o'clock of the day before: a day each.
        #expect(try shop.seasons(asOf: Self.hours(-1)) == ["01-14T12 01-15T12", "01-15T12 01-16T12"])
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(23)) == ["season"])
        let until = try shop.customer("alice")["entitlements"]?.elements?.first?["until"]?.string
        #expect(until == "2026-01-16T12:00:00.000Z")
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(24)) == [])
        #expect(try shop.customer("alice", asOf: Self.hours(24))["entitled"]?.bool == false)
        #expect(try shop.products(of: "alice").contains("season active"))
        // Without a duration there is no end, and no entitlement.
        #expect(try shop.products(of: "alice").contains("endless inactive"))
        refunded.copy = 2
        refunded.revokedAt = Self.hours(2).milliseconds
        try await shop.post(refunded, customerId: "alice")
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(1)) == ["season"])
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(2)) == [])
    }

    @Test func `of a trial that is described later end with it too`() async throws {
        let shop = try TestLedger()
        try await shop.post(Self.purchase("1", "trial", "Non-Consumable"), customerId: "alice")
        try await shop.apply(
            """
            version: 1
            bundleId: com.example.app
            products:
              - {id: unlock, type: nonConsumable, entitlements: [pro]}
              - {id: trial, type: nonConsumable, trial: {unlocks: unlock, duration: P2D}, effectiveFrom: 2026-02-01}
            """)
        // Bought on 14 January, and described from February on.
        let february = try #require(Instant(iso8601: "2026-02-02"))
        #expect(try shop.customer("alice", asOf: february)["entitlements"]?.elements?.isEmpty == true)
    }

    @Test func `of a trial end with it, and a later purchase does not begin it again`() async throws {
        let shop = try await Self.shop(Self.purchase("1", "trial", "Non-Consumable"))
        #expect(try shop.entitlements(of: "alice") == ["trying", "unlocked"])
        #expect(
            try shop.customer("alice")["entitlements"]?.elements?.first?["until"]?.string == "2026-01-16T12:00:00.000Z")
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(24)) == [])
        #expect(try shop.customer("alice", asOf: Self.hours(24))["entitled"]?.bool == false)
        #expect(try shop.products(of: "alice", asOf: Self.hours(24)).contains("trial inactive"))
        try await shop.post(Self.purchase("2", "trial", "Non-Consumable", number: 9), customerId: "alice")
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(24)) == [])
        try await shop.post(Self.purchase("3", "unlock", "Non-Consumable"), customerId: "alice")
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(24)) == ["unlocked"])
    }

    @Test func `follow the clock, not the answer given before`() async throws {
        let text =
            Self.text + "\n  - {id: late, type: nonConsumable, effectiveFrom: 2026-01-15T14:00:00Z, entitlements: [l]}"
        let shop = try await Self.shop(
            Self.purchase("1", "trial", "Non-Consumable"), Self.purchase("2", "season", "Non-Renewing Subscription"),
            Self.purchase("3", "late", "Non-Consumable"), text: text)
        var random = [Int64](-30...30)
        random.shuffle()
        let size = try shop.reader.size()
        for hour in random {
            let instant = Self.hours(hour)
            // A question with a log size is answered without the state of an earlier answer.
            let expected = try shop.customer("alice", asOf: instant, knownAt: size)
            #expect(try shop.customer("alice", asOf: instant).text == expected.text, "\(hour) hours from now")
        }
    }

    @Test func `answer an app about what it posted alone`() async throws {
        let shop = try await Self.shop(Self.purchase("1", "max"))
        let posted = try await shop.post(Self.purchase("2", "pro"), customerId: "alice", by: .app).answer
        #expect(posted["entitlements"]?.elements?.compactMap { $0["id"]?.string } == ["pro"])
        #expect(posted["products"]?.elements?.compactMap { $0["productId"]?.string } == ["pro"])
        #expect(posted["groups"]?.elements?.count == 1)
    }
}

extension TestLedger {
    /// The ids of a customer's entitlements.
    func entitlements(of id: String, asOf: Instant = now, knownAt: UInt64? = nil) throws -> [String] {
        try customer(id, asOf: asOf, knownAt: knownAt)["entitlements"]?.elements?.compactMap { $0["id"]?.string } ?? []
    }

    /// The products with their states.
    fileprivate func products(of id: String, asOf: Instant = now) throws -> [String] {
        try customer(id, asOf: asOf)["products"]?.elements?.map {
            "\($0["productId"]?.string ?? "?") \($0["state"]?.string ?? "?")"
        } ?? []
    }

    /// The days and hours of the services of alice.
    fileprivate func seasons(asOf: Instant) throws -> [String] {
        try customer("alice", asOf: asOf)["purchases"]?.elements?.compactMap { row in
            guard let start = row["startsAt"]?.string, let end = row["expiresAt"]?.string else { return nil }
            return [start, end].map { $0.dropFirst(5).prefix(8) }.joined(separator: " ")
        } ?? []
    }

    /// Applies a catalogue file.
    @discardableResult
    func apply(_ text: String) async throws -> CatalogAnswer {
        try await ledger.apply(try CatalogFile(text: text, name: "catalog.yaml"))
    }
}
