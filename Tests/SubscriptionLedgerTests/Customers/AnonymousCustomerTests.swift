import EventLog
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

struct AnonymousCustomerTests {
    private func handle(of outcome: PostingOutcome) throws -> String {
        try #require(try outcome.answer["handle"]?.string)
    }

    @Test func `without an id there is an anonymous customer, with a handle for later calls`() async throws {
        let shop = try TestLedger()
        let first = try await shop.post(Purchase("1"), by: .app)
        #expect(try first.answer["id"]?.isNull == true)
        #expect(try first.answer.purchases == ["1"])
        let handle = try handle(of: first)
        let second = try await shop.post(Purchase("2"), handle: handle, by: .app)
        #expect(try second.answer.purchases == ["1", "2"])
        #expect(try self.handle(of: second) == handle)
        let other = try await shop.post(Purchase("3"), by: .app)
        #expect(try self.handle(of: other) != handle)
        #expect(try other.answer.purchases == ["3"])
    }

    @Test func `who does not say who they are gets nothing that another has`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), by: .app)
        let other = try await shop.post(Purchase("1"), by: .app)
        #expect(other.refusedCodes == ["linkRefused"])
        #expect(try other.answer.purchases.isEmpty)
    }

    @Test func `identified, an anonymous customer is the known one for good`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let handle = try handle(of: try await shop.post(Purchase("2"), by: .app))
        let answer = try await shop.ledger.identify("alice", handle: handle, isAdmin: false).view
        #expect(answer["id"]?.string == "alice")
        #expect(answer.purchases == ["1", "2"])
        #expect(try shop.purchases(of: "alice") == ["1", "2"])

        let later = try await shop.post(Purchase("3"), handle: handle, by: .app)
        #expect(try later.answer.purchases == ["1", "2", "3"])
        let both = try await shop.post(Purchase("4"), customerId: "alice", handle: handle, by: .app)
        #expect(both.refused.isEmpty)
        try shop.reopen()
        #expect(try shop.purchases(of: "alice") == ["1", "2", "3", "4"])
    }

    @Test func `identify may be repeated, and meets whom nobody knew`() async throws {
        let shop = try TestLedger()
        let handle = try handle(of: try await shop.post(Purchase("1"), by: .app))
        _ = try await shop.ledger.identify("alice", handle: handle, isAdmin: false)
        _ = try await shop.ledger.identify("alice", handle: handle, isAdmin: false)
        #expect(try shop.events(.customersMerged).count == 1)
        #expect(try shop.purchases(of: "alice") == ["1"])
    }

    @Test func `a merge tells which customer is now which`() async throws {
        let shop = try TestLedger()
        let handle = try handle(of: try await shop.post(Purchase("1"), by: .app))
        _ = try await shop.ledger.identify("alice", handle: handle, isAdmin: false)
        let merge = try #require(try shop.events(.customersMerged).first)
        let body = try JSONDocument(parsing: merge.body).root
        #expect(body["handle"]?.string == handle)
        #expect(body["into"]?.string.flatMap { CustomerHandle(hex: $0) } != nil)
        #expect(body["into"]?.string != handle)
        #expect(body["by"]?.string == "backend")
        #expect(merge.trust == .own && merge.environment == .none)
    }

    @Test func `two known customers are one only for an administrator`() async throws {
        let shop = try TestLedger()
        let handle = try handle(of: try await shop.post(Purchase("1"), by: .app))
        _ = try await shop.ledger.identify("alice", handle: handle, isAdmin: false)
        try await shop.post(Purchase("2"), customerId: "bob")
        let error = await #expect(throws: CustomerError.self) {
            try await shop.ledger.identify("bob", handle: handle, isAdmin: false)
        }
        #expect(error?.code == .customerConflict)
        #expect(try shop.purchases(of: "bob") == ["2"])
        _ = try await shop.ledger.identify("bob", handle: handle, isAdmin: true)
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try shop.purchases(of: "bob") == ["1", "2"])
    }

    @Test func `an id and a handle of two customers do not go together`() async throws {
        let shop = try TestLedger()
        let handle = try handle(of: try await shop.post(Purchase("1"), by: .app))
        let error = await #expect(throws: CustomerError.self) {
            try await shop.post(Purchase("2"), customerId: "alice", handle: handle)
        }
        #expect(error?.code == .customerConflict)
        #expect(try shop.events().count == 2)
    }

    @Test func `an unknown handle identifies nobody`() async throws {
        let shop = try TestLedger()
        let error = await #expect(throws: CustomerError.self) {
            try await shop.ledger.identify("alice", handle: String(repeating: "1", count: 32), isAdmin: true)
        }
        #expect(error?.code == .handleUnknown)
    }

    @Test func `what was first claimed anonymously is the known customer's, before a later app's claim`() async throws {
        let shop = try TestLedger()
        let handle = try handle(of: try await shop.post(Purchase("1"), by: .app))
        try await shop.post(Purchase("1"), customerId: "bob", by: .app)
        #expect(try shop.purchases(of: "bob") == ["1"])
        _ = try await shop.ledger.identify("alice", handle: handle, isAdmin: false)
        #expect(try shop.purchases(of: "bob").isEmpty)
        #expect(try shop.purchases(of: "alice") == ["1"])
    }

    @Test func `a merge is known from its position on`() async throws {
        let shop = try TestLedger()
        let handle = try handle(of: try await shop.post(Purchase("1"), by: .app))
        try await shop.post(Purchase("2"), customerId: "alice")
        let before = try shop.events().count
        _ = try await shop.ledger.identify("alice", handle: handle, isAdmin: false)
        #expect(try shop.purchases(of: "alice", knownAt: UInt64(before)) == ["2"])
        #expect(try shop.purchases(of: "alice", knownAt: UInt64(before) + 1) == ["1", "2"])
    }
}
