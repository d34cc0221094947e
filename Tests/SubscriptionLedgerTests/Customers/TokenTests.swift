import EventLog
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

/// The appAccountToken of a purchase, with which the app identifies the buyer to Apple.
struct TokenTests {
    private let a = token("a")
    private let b = token("b")

    @Test func `a purchase whose token is the customer's id is the customer's without any posting`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1", token: a))
        #expect(try shop.purchases(of: a) == ["1"])
        #expect(try shop.purchases(of: a.uppercased()) == ["1"])
        #expect(try shop.purchases(of: b).isEmpty)
        try shop.reopen()
        #expect(try shop.purchases(of: a) == ["1"])
    }

    @Test(arguments: [Caller.Role.app, .backend])
    func `a transaction links when its token is the customer's`(role: Caller.Role) async throws {
        let shop = try TestLedger()
        let outcome = try await shop.post(Purchase("1", token: a), customerId: a.uppercased(), by: Caller(role))
        #expect(outcome.refused.isEmpty)
        #expect(try outcome.answer.purchases == ["1"])
        #expect(try shop.events(.customerLinked).count == 1)
    }

    @Test(arguments: [Caller.Role.app, .backend])
    func `a transaction does not link when its token is another's`(role: Caller.Role) async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", token: a), customerId: a)
        let outcome = try await shop.post(Purchase("2", token: a), customerId: "bob", by: Caller(role))
        #expect(outcome.refusedCodes == ["link_refused"])
        #expect(try shop.purchases(of: "bob").isEmpty)
        #expect(try shop.purchases(of: a) == ["1", "2"], "it is the token's customer's, whoever posts it")
    }

    @Test func `a token outranks a backend's link, also one from before`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("9"), customerId: a)
        try await shop.post(Purchase("1"), customerId: "bob", by: .backend)
        try await shop.ingest(Purchase("1", number: 2, token: a))
        #expect(try shop.purchases(of: "bob").isEmpty)
        #expect(try shop.purchases(of: a) == ["1", "9"])
        #expect(try await shop.post(Purchase("1"), customerId: "bob").refusedCodes == ["link_refused"])
    }

    @Test func `a backend's posting makes a token that nobody is known by the customer's`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", token: a), customerId: "alice", by: .backend)
        try await shop.ingest(Purchase("2", token: a))
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try shop.purchases(of: a) == ["1", "2"], "the token is one more name of the customer")
        #expect(try await shop.post(Purchase("2", token: a), customerId: "bob").refusedCodes == ["link_refused"])
        #expect(try await shop.post(Purchase("3", token: a), customerId: "bob").refusedCodes == ["link_refused"])
        try shop.reopen()
        #expect(try shop.purchases(of: "alice") == ["1", "2", "3"])
    }

    @Test func `an app's posting does not`() async throws {
        let shop = try TestLedger()
        let outcome = try await shop.post(Purchase("1", token: a), customerId: "mallory", by: .app)
        #expect(outcome.refusedCodes == ["link_refused"])
        #expect(outcome.finish.count == 1)
        #expect(try shop.purchases(of: "mallory").isEmpty)
        #expect(try await shop.post(Purchase("1", token: a), customerId: "alice", by: .backend).refused.isEmpty)
        #expect(try shop.purchases(of: "alice") == ["1"])
    }

    @Test func `a token that is mapped to nobody is a customer by itself`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice", by: .backend)
        try await shop.ingest(Purchase("1", number: 2, token: a))
        #expect(try shop.purchases(of: "alice").isEmpty)
        #expect(try shop.purchases(of: a) == ["1"])
        let before = Instant(milliseconds: Purchase("1", number: 2).start - 1)
        #expect(try shop.purchases(of: "alice", asOf: before) == ["1"], "the past stays")
        #expect(try shop.purchases(of: a, asOf: before).isEmpty)
    }

    @Test func `the nil UUID and other texts are no tokens`() async throws {
        let shop = try TestLedger()
        for (id, text) in [("1", "00000000-0000-0000-0000-000000000000"), ("2", "user 7")] {
            #expect(try await shop.post(Purchase(id, token: text), customerId: "alice", by: .app).refused.isEmpty)
            #expect(try await shop.post(Purchase(id, token: text), customerId: text, by: .app).refused.count == 1)
        }
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
    }

    @Test(arguments: Rules.Customers.ClaimConflict.allCases)
    func `the newest token owns, from its purchase on, under every rule`(
        rule: Rules.Customers.ClaimConflict
    ) async throws {
        let shop = try TestLedger(claimConflict: rule)
        try await shop.post(Purchase("1", token: a), customerId: "alice")
        let changed = Purchase("1", number: 2, token: b)
        #expect(try await shop.post(changed, customerId: "bob").refused.isEmpty)
        let purchase = Instant(milliseconds: changed.start)
        #expect(try shop.purchases(of: "bob", asOf: purchase) == ["1"])
        #expect(try shop.purchases(of: "alice", asOf: purchase).isEmpty)
        #expect(try shop.purchases(of: "alice", asOf: purchase.advanced(byMilliseconds: -1)) == ["1"])
        // Posting alice's own purchase again is not refused, and takes nothing back.
        #expect(try await shop.post(Purchase("1", copy: 2, token: a), customerId: "alice").refused.isEmpty)
        #expect(try shop.purchases(of: "bob") == ["1"])
        #expect(try shop.conflicts(of: "bob").isEmpty && shop.conflicts(of: "alice").isEmpty)
    }

    @Test func `a token that is set later owns from its signing on`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1", token: a))
        let reset = Purchase("1", copy: 2, token: b)
        try await shop.ingest(reset)
        let signing = Instant(milliseconds: reset.signedAt)
        #expect(try shop.purchases(of: a, asOf: signing.advanced(byMilliseconds: -1)) == ["1"])
        #expect(try shop.purchases(of: a, asOf: signing).isEmpty)
        #expect(try shop.purchases(of: b, asOf: signing) == ["1"])
    }

    @Test func `a refund of an old purchase takes nothing from the customer of a later one`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1", token: a))
        try await shop.ingest(Purchase("1", number: 2, token: b))
        try await shop.ingest(Purchase("1", copy: 3, token: a))
        #expect(try shop.purchases(of: b) == ["1"])
    }

    @Test func `family shared purchases link only by posting, whatever their token`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("9"), customerId: a)
        let shared = Purchase("1", token: a, isFamilyShared: true)
        try await shop.ingest(shared)
        #expect(try shop.purchases(of: a) == ["9"])
        #expect(try await shop.post(shared, customerId: "bob", by: .app).refused.isEmpty)
        #expect(try shop.purchases(of: "bob") == ["1"])
        #expect(try shop.purchases(of: a) == ["9"])
    }

    @Test func `a family member and the purchaser are two customers`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", token: a), customerId: a, by: .app)
        try await shop.post(Purchase("2", token: a, isFamilyShared: true), customerId: "kid", by: .app)
        #expect(try shop.purchases(of: a) == ["1"])
        #expect(try shop.purchases(of: "kid") == ["2"])
    }

    @Test func `the customer of a token is known from the event that maps it`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1", token: a))
        let size = try shop.ledger.reader.log.size()
        try await shop.post(Purchase("2", token: a), customerId: "alice")
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try shop.purchases(of: "alice", knownAt: size).isEmpty)
        #expect(try shop.purchases(of: a, knownAt: size) == ["1"])
    }

    @Test func `of a customer who was merged lead to the same purchases under every name`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("5"))
        _ = try await shop.ledger.identify(token("a"), handle: handle, by: .backend)
        try await shop.post(Purchase("6"), customerId: "bob")
        _ = try await shop.ledger.identify("bob", handle: handle, merge: true, by: .admin)
        // No customer has claimed it; only the token identifies the owner.
        try await shop.ingest(Purchase("1", token: token("a")))
        for name in ["bob", token("a")] { #expect(try shop.purchases(of: name) == ["1", "5", "6"], "\(name)") }
        try shop.reopen()
        for name in ["bob", token("a")] { #expect(try shop.purchases(of: name) == ["1", "5", "6"], "\(name)") }
    }
}
