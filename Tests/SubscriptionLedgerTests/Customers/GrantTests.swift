import EventLog
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `A grant of an entitlement` {
    private static func hours(_ number: Int64) -> Instant {
        TestLedger.now.advanced(byMilliseconds: number * 3_600_000)
    }

    @Test func `entitles the customer without a purchase, and names its reason and event`() async throws {
        let shop = try TestLedger()
        let answer = try await shop.grant("pro", until: Self.hours(2), because: "invoice \"7\"", to: "alice")
        #expect(answer["entitled"]?.bool == true && answer["subscriptions"]?.elements?.isEmpty == true)
        #expect(
            answer["entitlements"]?.text
                == #"[{"id":"pro","until":"2026-01-15T14:00:00.000Z","because":[{"grant":0,"because":"invoice \"7\""}]}]"#
        )
        let record = try #require(try shop.events(.entitlementGranted).first)
        #expect(record.trust == .own && record.environment == .none)
        let body = try JSONDocument(parsing: record.body).root
        #expect(body.members.map(\.key) == ["because", "by", "entitlement", "from", "handle", "until"])
        #expect(body["by"]?.string == "admin" && body["from"]?.string == "2026-01-15T12:00:00.000Z")
    }

    @Test func `counts from its event to its end`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let size = try shop.reader.log.size()
        try await shop.grant("gift", until: Self.hours(2), because: "a gift", to: "alice")
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(-1)) == [])
        #expect(try shop.entitlements(of: "alice") == ["gift"])
        #expect(try shop.entitlements(of: "alice", knownAt: size) == [])
        #expect(try shop.entitlements(of: "alice", asOf: Self.hours(2)) == [])
        #expect(try shop.entitlements(of: "bob") == [])
        shop.close()
        try shop.open()
        #expect(try shop.entitlements(of: "alice") == ["gift"])
    }

    @Test func `is replaced by a newer one of the same entitlement alone`() async throws {
        let shop = try TestLedger()
        try await shop.grant("pro", because: "forever", to: "alice")
        try await shop.grant("max", because: "forever", to: "alice")
        #expect(
            try shop.customer("alice")["entitlements"]?.elements?.allSatisfy { $0["until"]?.isNull == true } == true)
        try await shop.grant("pro", until: TestLedger.now, because: "refunded elsewhere", to: "alice")
        #expect(try shop.entitlements(of: "alice") == ["max"])
        try await shop.grant("pro", because: "forever", to: "alice")
        #expect(try shop.entitlements(of: "alice") == ["max", "pro"])
    }

    @Test func `joins the purchases that give the same entitlement`() async throws {
        let shop = try TestLedger()
        try await shop.apply(
            """
            version: 1
            bundleId: com.example.app
            products: [{id: unlock, type: nonConsumable, entitlements: [pro]}]
            """)
        var unlock = Purchase("1")
        (unlock.productId, unlock.type) = ("unlock", "Non-Consumable")
        try await shop.post(unlock, customerId: "alice")
        try await shop.grant("pro", until: Self.hours(2), because: "a gift", to: "alice")
        let entitlement = try #require(try shop.customer("alice")["entitlements"]?.elements?.first)
        #expect(entitlement["until"]?.isNull == true && entitlement["because"]?.elements?.count == 2)
    }

    @Test func `moves with a merge, and back with its reversal`() async throws {
        let shop = try TestLedger()
        try await shop.grant("pro", because: "a gift", to: "bob")
        try await shop.post(Purchase("1"), customerId: "alice")
        let scope = CustomerScope()
        _ = try await shop.ledger.merge(.id("bob"), into: "alice", by: .admin, scope: scope, source: .operator)
        #expect(try shop.entitlements(of: "alice") == ["pro"])
        _ = try await shop.ledger.unmerge(.id("bob"), from: "alice", by: .admin, scope: scope, source: .operator)
        #expect(try shop.entitlements(of: "alice") == [])
        #expect(try shop.entitlements(of: "bob") == ["pro"])
    }

    @Test func `made before a merge is withdrawn by one after it`() async throws {
        let shop = try TestLedger()
        try await shop.grant("pro", because: "a gift", to: "bob")
        try await shop.grant("pro", because: "another", to: "alice")
        _ = try await shop.ledger.merge(
            .id("bob"), into: "alice", by: .admin, scope: CustomerScope(), source: .operator)
        try await shop.grant("pro", until: TestLedger.now, because: "no more", to: "bob")
        #expect(try shop.entitlements(of: "alice") == [])
        #expect(try shop.entitlements(of: "bob") == [])
    }

    @Test(arguments: [("", "a gift"), ("pro", ""), ("a\nb", "a gift"), ("pro", String(repeating: "\u{1}", count: 501))])
    func `without a name or a reason that fit is refused`(entitlement: String, because: String) async throws {
        let shop = try TestLedger()
        let error = try await #require(throws: CustomerError.self) {
            try await shop.grant(entitlement, because: because, to: "alice")
        }
        #expect(error.code == .postingMalformed)
        #expect(try shop.events().isEmpty)
        // The longest texts fit, whatever they contain.
        try await shop.grant(
            String(repeating: "\"", count: 100), because: String(repeating: "\u{1}", count: 500), to: "alice")
        #expect(try shop.customer("alice")["entitled"]?.bool == true)
    }
}

extension TestLedger {
    @discardableResult
    fileprivate func grant(
        _ entitlement: String, until: Instant? = nil, because: String, to id: String
    ) async throws -> JSONView {
        let request = GrantRequest(entitlement: entitlement, until: until, because: because)
        return try await ledger.grant(request, to: id, by: .admin, scope: CustomerScope(), source: .operator).json.view
    }
}
