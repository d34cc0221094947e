import EventLog
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

/// appAccountTokens: whom the app told Apple that a purchase is for.
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

    @Test(arguments: [PostingRole.app, .backend])
    func `a transaction links when its token is the customer's`(role: PostingRole) async throws {
        let shop = try TestLedger()
        let outcome = try await shop.post(Purchase("1", token: a), customerId: a.uppercased(), by: role)
        #expect(outcome.refused.isEmpty)
        #expect(try outcome.answer.purchases == ["1"])
        #expect(try shop.events(.customerLinked).count == 1)
    }

    @Test(arguments: [PostingRole.app, .backend])
    func `a transaction does not link when its token is another's`(role: PostingRole) async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", token: a), customerId: a)
        let outcome = try await shop.post(Purchase("2", token: a), customerId: "bob", by: role)
        #expect(outcome.refusedCodes == ["linkRefused"])
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
        #expect(try await shop.post(Purchase("1"), customerId: "bob").refusedCodes == ["linkRefused"])
    }

    @Test func `a backend's posting makes a token that nobody is known by the customer's`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", token: a), customerId: "alice", by: .backend)
        try await shop.ingest(Purchase("2", token: a))
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try shop.purchases(of: a) == ["1", "2"], "the token is one more name of the customer")
        #expect(try await shop.post(Purchase("2", token: a), customerId: "bob").refusedCodes == ["linkRefused"])
        #expect(try await shop.post(Purchase("3", token: a), customerId: "bob").refusedCodes == ["linkRefused"])
        try shop.reopen()
        #expect(try shop.purchases(of: "alice") == ["1", "2", "3"])
    }

    @Test func `an app's posting does not`() async throws {
        let shop = try TestLedger()
        let outcome = try await shop.post(Purchase("1", token: a), customerId: "mallory", by: .app)
        #expect(outcome.refusedCodes == ["linkRefused"])
        #expect(outcome.finish.count == 1)
        #expect(try shop.purchases(of: "mallory").isEmpty)
        #expect(try await shop.post(Purchase("1", token: a), customerId: "alice", by: .backend).refused.isEmpty)
        #expect(try shop.purchases(of: "alice") == ["1"])
    }

    @Test func `a token that nobody is known by takes a key from nobody`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        try await shop.ingest(Purchase("1", number: 2, token: a))
        #expect(try shop.purchases(of: "alice") == ["1"])
        #expect(try shop.purchases(of: a).isEmpty)
        let again = try await shop.post(Purchase("1", number: 2, token: a), customerId: "alice", by: .app)
        #expect(again.refused.isEmpty, "it is hers already")
    }

    @Test func `the nil UUID and other texts are no tokens`() async throws {
        let shop = try TestLedger()
        for (id, text) in [("1", "00000000-0000-0000-0000-000000000000"), ("2", "user 7")] {
            #expect(try await shop.post(Purchase(id, token: text), customerId: "alice", by: .app).refused.isEmpty)
            #expect(try await shop.post(Purchase(id, token: text), customerId: text, by: .app).refused.count == 1)
        }
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
    }

    @Test(arguments: [Rules.Customers.ClaimConflict.keepFirst, .move])
    func `a changed token moves ownership only under move, and else raises a conflict`(
        rule: Rules.Customers.ClaimConflict
    ) async throws {
        let shop = try TestLedger(claimConflict: rule)
        try await shop.post(Purchase("8"), customerId: a)
        try await shop.post(Purchase("9"), customerId: b)
        try await shop.post(Purchase("1", token: a), customerId: a)
        let changed = Purchase("1", number: 2, token: b)
        let outcome = try await shop.post(changed, customerId: b)
        if rule == .move {
            #expect(outcome.refused.isEmpty)
            #expect(try shop.purchases(of: a) == ["8"])
            #expect(try shop.purchases(of: b) == ["1", "9"])
            #expect(try shop.customer(b)["tokenConflicts"] == nil)
        } else {
            #expect(outcome.refusedCodes == ["tokenConflict"])
            #expect(try shop.purchases(of: a) == ["1", "8"])
            #expect(try shop.purchases(of: b) == ["9"])
            let conflicts = try shop.customer(a)["tokenConflicts"]?.elements
            #expect(conflicts?.map { $0["originalTransactionId"]?.string } == ["1"])
            #expect(try await shop.post(changed, customerId: a).refusedCodes == ["tokenConflict"])
            #expect(try shop.events(.linkRefused).count == 1, "whoever keeps it loses nothing")
        }
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

    @Test func `a token is known from when its customer was met`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "bob", by: .app)
        let position = try await shop.ingest(Purchase("1", number: 2, token: a))
        #expect(try shop.purchases(of: "bob") == ["1"])
        try await shop.post(Purchase("9"), customerId: a, by: .app)
        #expect(try shop.purchases(of: "bob").isEmpty)
        #expect(try shop.purchases(of: "bob", knownAt: position + 1) == ["1"])
        #expect(try shop.purchases(of: a, knownAt: position + 1).isEmpty)
    }

    @Test func `of a customer who was merged lead to the same purchases under every name`() async throws {
        let shop = try TestLedger()
        let handle = try #require(try await shop.post(Purchase("5"), by: .app).answer["handle"]?.string)
        _ = try await shop.ledger.identify(token("a"), handle: handle, isAdmin: false)
        try await shop.post(Purchase("6"), customerId: "bob")
        _ = try await shop.ledger.identify("bob", handle: handle, isAdmin: true)
        // Nobody has claimed it: only the token tells whose it is.
        try await shop.ingest(Purchase("1", token: token("a")))
        for name in ["bob", token("a")] { #expect(try shop.purchases(of: name) == ["1", "5", "6"], "\(name)") }
        try shop.reopen()
        for name in ["bob", token("a")] { #expect(try shop.purchases(of: name) == ["1", "5", "6"], "\(name)") }
    }
}
