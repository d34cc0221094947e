import AppStoreModel
import EventLog
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

struct AnonymousCustomerTests {
    @Test func `without an id there is an anonymous customer, with a handle for later calls`() async throws {
        let shop = try TestLedger()
        let first = try await shop.post(Purchase("1"))
        #expect(try first.answer["id"]?.isNull == true)
        #expect(try first.answer.purchases == ["1"])
        let handle = try #require(first.customer?.handle)
        let second = try await shop.post(Purchase("2"), handle: handle)
        #expect(try second.answer.purchases == ["1", "2"])
        #expect(second.customer?.handle == handle)
        let other = try await shop.post(Purchase("3"))
        #expect(other.customer?.handle != handle)
        #expect(try other.answer.purchases == ["3"])
    }

    @Test func `an anonymous owner gives way to the next who posts, known or not`() async throws {
        let shop = try TestLedger()
        let first = try await shop.anonymousHandle(Purchase("1"))
        let second = try await shop.post(Purchase("1"), by: .app)
        #expect(second.refused.isEmpty)
        #expect(try second.answer.purchases == ["1"])
        #expect(second.customer?.handle != first, "nothing says that the two are one Apple account")
        #expect(try shop.events(.customersMerged).isEmpty)
        try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        #expect(try shop.purchases(of: "alice") == ["1"])
        #expect(try shop.events(.customersMerged).count == 1)
    }

    @Test func `a purchase of a known customer is not an anonymous one's`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let outcome = try await shop.post(Purchase("1"), by: .app)
        #expect(outcome.refusedCodes == ["link_refused"])
        #expect(outcome.refused.first?.advice == "Sign in as the customer who owns the purchase.")
        #expect(try outcome.answer.purchases.isEmpty)
        #expect(try shop.conflicts(of: "alice").isEmpty, "an anonymous claimant is nobody to settle it with")
    }

    @Test func `two devices of one Apple account are one anonymous customer`() async throws {
        let shop = try TestLedger()
        let phone = try await shop.anonymousHandle(Purchase("1", account: "701"))
        let tablet = try await shop.post(Purchase("2", account: "701"), by: .backend)
        #expect(tablet.customer?.handle == phone)
        #expect(try tablet.answer.purchases == ["1", "2"])
        // A device that received another handle before its account was known.
        let old = try await shop.anonymousHandle(Purchase("3"))
        let merged = try await shop.post(Purchase("1", copy: 2, account: "701"), handle: old)
        #expect(try merged.answer.purchases == ["1", "2", "3"])
        #expect(try shop.events(.customersMerged).count == 1)
        let again = try await shop.post(Purchase("2"), handle: phone)
        #expect(try again.answer.purchases == ["1", "2", "3"])
    }

    @Test func `the app's own download says which account a device is`() async throws {
        let shop = try TestLedger()
        let phone = try await shop.anonymousHandle(Purchase("1", account: "704"))
        let outcome = try await shop.ledger.post(
            TransactionPosting(signedTransactions: [], signedAppTransaction: Purchase.appTransaction()), by: .backend)
        #expect(outcome.customer?.handle == phone)
    }

    @Test func `one account in another environment is another customer`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1", account: "701"))
        let other = try await shop.anonymousHandle(Purchase("1", environment: .sandbox, account: "701"))
        #expect(handle != other)
        #expect(try shop.events(.customersMerged).isEmpty)
    }

    @Test func `identified, an anonymous customer is the known one for good`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let handle = try await shop.anonymousHandle(Purchase("2"))
        let answer = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        #expect(answer.id == "alice")
        #expect(try answer.json.view.purchases == ["1", "2"])
        #expect(answer.merged?.handle == handle)
        #expect(try shop.purchases(of: "alice") == ["1", "2"])

        let later = try await shop.post(Purchase("3"), handle: handle)
        #expect(try later.answer.purchases == ["1", "2", "3"])
        let both = try await shop.post(Purchase("4"), customerId: "alice", handle: handle)
        #expect(both.refused.isEmpty)
        try shop.reopen()
        #expect(try shop.purchases(of: "alice") == ["1", "2", "3", "4"])
    }

    @Test func `identify may be repeated, and makes the customer of a new id`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        let again = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        #expect(again.merged == nil)
        #expect(try shop.events(.customersMerged).count == 1)
        #expect(try shop.purchases(of: "alice") == ["1"])
    }

    @Test func `a merge names both customers, the strength of the word and the key`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify("alice", handle: handle, by: Caller(.backend, keyName: "web"))
        let merge = try #require(try shop.events(.customersMerged).first)
        let body = try JSONDocument(parsing: merge.body).root
        #expect(body["handle"]?.string == handle)
        #expect(body["into"]?.string.flatMap { CustomerHandle(hex: $0) } != nil)
        #expect(body["into"]?.string != handle)
        #expect(body["by"]?.string == "backend")
        #expect(body["key"]?.string == "web")
        #expect(merge.trust == .own && merge.environment == .none)
    }

    @Test func `identifying makes the purchases as safe as the caller's own word`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        #expect(try await shop.post(Purchase("1"), customerId: "bob").refusedCodes == ["link_refused"])
        #expect(try shop.purchases(of: "alice") == ["1"])
        #expect(try shop.conflicts(of: "alice") == ["1"] && shop.conflicts(of: "bob") == ["1"])
    }

    @Test func `two known customers become one only where an administrator asks for it`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        try await shop.post(Purchase("2"), customerId: "bob")
        for (caller, merge) in [(Caller.backend, false), (.backend, true), (.admin, false)] {
            let error = await #expect(throws: CustomerError.self) {
                try await shop.ledger.identify("bob", handle: handle, merge: merge, by: caller)
            }
            #expect(error?.code == .customerConflict)
        }
        for (source, option) in [(EventSource.operator, "--merge"), (.http, #""merge": true"#)] {
            let error = await #expect(throws: CustomerError.self) {
                try await shop.ledger.identify("bob", handle: handle, by: .admin, source: source)
            }
            #expect(error?.hint == "Merge them as an administrator with \(option).")
        }
        #expect(try shop.purchases(of: "bob") == ["2"])
        _ = try await shop.ledger.identify("bob", handle: handle, merge: true, by: .admin)
        #expect(try shop.purchases(of: "alice") == ["1", "2"])
        #expect(try shop.purchases(of: "bob") == ["1", "2"])
    }

    @Test func `an id and a handle of two customers do not go together`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        let error = await #expect(throws: CustomerError.self) {
            try await shop.post(Purchase("2"), customerId: "alice", handle: handle)
        }
        #expect(error?.code == .customerConflict)
        #expect(try shop.events().count == 2)
    }

    @Test func `an unknown handle identifies nobody`() async throws {
        let shop = try TestLedger()
        let error = await #expect(throws: CustomerError.self) {
            try await shop.ledger.identify(
                "alice", handle: String(repeating: "1", count: 32), merge: true, by: .admin)
        }
        #expect(error?.code == .handleUnknown)
    }

    @Test func `a customer who gave way does not come back by being identified`() async throws {
        let shop = try TestLedger()
        let first = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.anonymousHandle(Purchase("1"))
        try await shop.post(Purchase("1"), customerId: "bob")
        _ = try await shop.ledger.identify("alice", handle: first, by: .backend)
        #expect(try shop.purchases(of: "bob") == ["1"], "its claim is as strong from the identification on, not before")
        #expect(try shop.purchases(of: "alice").isEmpty)
    }

    @Test func `a handle is read like an id, and names the customer it stands for`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        let question = AsOfQuery(asOf: TestLedger.now)
        for text in [handle, handle.uppercased(), handle] {
            #expect(try shop.customer(text)["id"]?.isNull == true)
            #expect(try shop.customer(text)["handle"]?.string == handle)
            #expect(try shop.customer(text).purchases == ["1"])
        }
        #expect(try shop.ledger.reader.state(ofCustomer: handle, question).json.view.purchases == ["1"])
        #expect(try shop.ledger.reader.history(ofCustomer: handle, question).json.view.purchases == ["1"])

        try await shop.post(Purchase("2"), customerId: "alice")
        let before = UInt64(try shop.events().count)
        let merged = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        #expect(try shop.customer(handle)["handle"]?.string == merged.merged?.into, "of the customer after the merge")
        #expect(try shop.customer(handle).purchases == ["1", "2"], "a cached answer does not outlive the merge")
        #expect(try shop.customer(handle, knownAt: before)["handle"]?.string == handle)
        #expect(try shop.customer(handle, knownAt: before).purchases == ["1"])
        shop.close()
        try shop.openForReading()
        #expect(try shop.customer(handle).purchases == ["1", "2"])
    }

    @Test func `32 digits that are no handle are an id, and so is an id in use that reads like a handle`() async throws
    {
        let shop = try TestLedger()
        let unknown = String(repeating: "0", count: 32)
        #expect(try shop.customer(unknown)["id"]?.string == unknown)
        #expect(try shop.customer(unknown)["handle"] == nil)
        let handle = try await shop.anonymousHandle(Purchase("1"))
        #expect(try shop.purchases(of: handle) == ["1"])
        try await shop.post(Purchase("2"), customerId: handle)
        #expect(try shop.customer(handle)["id"]?.string == handle)
        #expect(try shop.purchases(of: handle) == ["2"], "as the posting was answered")
    }

    @Test func `a merge is known from its position on`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        try await shop.post(Purchase("2"), customerId: "alice")
        let before = try shop.events().count
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        #expect(try shop.purchases(of: "alice", knownAt: UInt64(before)) == ["2"])
        #expect(try shop.purchases(of: "alice", knownAt: UInt64(before) + 1) == ["1", "2"])
    }
}
