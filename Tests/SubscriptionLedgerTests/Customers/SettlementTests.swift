import AppStoreModel
import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

/// The decisions of an operator: link, merge, unmerge, transfer.
struct SettlementTests {
    private let scope = CustomerScope()

    private func transfer(_ shop: TestLedger, _ id: String, to customer: String) async throws {
        _ = try await shop.ledger.transfer(
            SubscriptionSelector(originalTransactionId: id), to: customer, by: .admin, scope: scope, source: .operator)
    }

    @Test func `transferring again to the owner settles what was refused since, and nothing else is an event`()
        async throws
    {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        for count in 1...2 {
            try await shop.post(Purchase("1"), customerId: "bob")
            #expect(try shop.conflicts(of: "alice") == ["1"])
            for _ in 0..<2 { try await transfer(shop, "1", to: "alice") }
            #expect(try shop.conflicts(of: "alice") == [] && shop.conflicts(of: "bob") == [])
            #expect(try shop.events(.subscriptionTransferred).count == count)
        }
        #expect(try shop.purchases(of: "alice") == ["1"])
    }

    @Test func `a transfer moves one key, outranks tokens, and settles the conflict`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", token: token("a")), Purchase("2"), customerId: "alice")
        try await shop.post(Purchase("1", number: 2, token: token("a")), customerId: "bob")
        #expect(try shop.conflicts(of: "bob") == ["1"])
        let before = try shop.ledger.reader.log.size()
        try await transfer(shop, "1", to: "bob")
        #expect(try shop.purchases(of: "bob") == ["1"] && shop.purchases(of: "alice") == ["2"])
        #expect(try shop.conflicts(of: "bob").isEmpty && shop.conflicts(of: "alice").isEmpty)
        #expect(try shop.purchases(of: "alice", knownAt: before) == ["1", "2"], "from its position on")
        try await transfer(shop, "1", to: "bob")
        #expect(try shop.events(.subscriptionTransferred).count == 1)
        try await transfer(shop, "1", to: "alice")
        try await transfer(shop, "1", to: "bob")
        #expect(try shop.purchases(of: "bob") == ["1"], "back and forth")
        try shop.reopen()
        #expect(try shop.purchases(of: "bob") == ["1"])
    }

    @Test func `every change of the owner is a row of the feed, under all ids of the owner`() async throws {
        let shop = try TestLedger()
        let handle = try await shop.anonymousHandle(Purchase("1"))
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        try await shop.post(Purchase("2"), customerId: "bob")
        try await transfer(shop, "1", to: "bob")
        _ = try await shop.ledger.merge(.id("bob"), into: "carol", by: .admin, scope: scope, source: .operator)
        _ = try await shop.ledger.unmerge(.id("bob"), from: "carol", by: .admin, scope: scope, source: .operator)
        let rows = try shop.transitions().map { row in
            let id = try row.after.view["originalTransactionId"]?.string ?? "-"
            return "\(id) \(row.change.joined(separator: ",")) \(row.cause) \(row.customers.joined(separator: ","))"
        }
        #expect(
            rows == [
                "1 started transaction ", "1 linked customerLinked alice", "1 merged customersMerged alice",
                "2 started transaction ", "2 linked customerLinked bob",
                "1 transferred subscriptionTransferred bob", "1 merged customersMerged carol",
                "2 merged customersMerged carol", "1 unmerged customersUnmerged bob",
                "2 unmerged customersUnmerged bob",
            ])
    }

    @Test func `a customer's history has the changes of owners, another reader's has not`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        try await transfer(shop, "1", to: "bob")
        try await shop.post(Purchase("2", token: token("a")), Purchase("2", number: 2, token: token("b")))
        let question = AsOfQuery(asOf: TestLedger.now)
        func changes(_ id: String) throws -> [String] {
            try shop.ledger.reader.history(ofCustomer: id, question).subscriptions.flatMap(\.transitions).map { row in
                "\(row.change.joined(separator: ",")) \(row.cause) \(row.from ?? "-") \(row.to)"
            }
        }
        // Both were decided at the instant of the ledger's clock, so the newer one is the cause.
        #expect(
            try changes("bob") == ["started transaction - active", "transferred subscriptionTransferred active active"])
        #expect(
            try changes(token("b")) == [
                "started transaction - active", "renewed,linked,unlinked transaction active active",
            ])
        #expect(
            try changes(token("a")) == [
                "started transaction - active", "renewed,linked,unlinked transaction active active",
            ], "whoever lost it sees it up to the loss")
        #expect(try changes("carol").isEmpty)
        let history = try shop.ledger.reader.history(of: SubscriptionSelector(originalTransactionId: "1"), question)
        #expect(history?.subscriptions.first?.transitions.map(\.change) == [["started"]])
    }

    @Test func `a subscription that nobody observed, or that several apps have, is not transferred`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), Purchase("1", environment: .sandbox), customerId: "alice")
        for (id, code) in [("2", CustomerError.Code.subscriptionUnknown), ("1", .parameterInvalid)] {
            let error = await #expect(throws: CustomerError.self) { try await transfer(shop, id, to: "bob") }
            #expect(error?.code == code)
        }
        #expect(try shop.events(.subscriptionTransferred).isEmpty)
    }

    @Test func `a merge is undone from its position on, and what came since stays`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        try await shop.post(Purchase("2"), customerId: "bob")
        let merged = try await shop.ledger.merge(.id("bob"), into: "alice", by: .admin, scope: scope, source: .operator)
        #expect(try merged.json.view.purchases == ["1", "2"])
        #expect(merged.merged != nil)
        try await shop.post(Purchase("3"), customerId: "bob")
        let size = try shop.ledger.reader.log.size()
        let undone = try await shop.ledger.unmerge(
            .id("bob"), from: "alice", by: .admin, scope: scope, source: .operator)
        #expect(undone.unmerged != nil)
        #expect(try shop.purchases(of: "alice") == ["1", "3"] && shop.purchases(of: "bob") == ["2"])
        #expect(try shop.purchases(of: "bob", knownAt: size) == ["1", "2", "3"])
        _ = try await shop.ledger.merge(.id("bob"), into: "alice", by: .admin, scope: scope, source: .operator)
        #expect(try shop.purchases(of: "bob") == ["1", "2", "3"], "it may be made again")
        #expect(try shop.events(.customersMerged).count == 2)
    }

    @Test func `only a merge in force is undone, and only known customers are merged`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        try await shop.post(Purchase("2"), customerId: "bob")
        let unknown = await #expect(throws: CustomerError.self) {
            try await shop.ledger.merge(.id("carol"), into: "alice", by: .admin, scope: scope, source: .operator)
        }
        #expect(unknown?.code == .customerUnknown)
        let none = await #expect(throws: CustomerError.self) {
            try await shop.ledger.unmerge(.id("bob"), from: "alice", by: .admin, scope: scope, source: .operator)
        }
        #expect(none?.code == .mergeUnknown)
    }

    @Test func `a customer is not merged into itself, by any of its names`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", token: token("a")), customerId: "alice")
        let link = try JSONDocument(parsing: try #require(try shop.events(.customerLinked).first).body).root
        let handle = try #require(link["handle"]?.string)
        let size = try shop.events().count
        for (other, id) in [
            (MergedCustomer.id("alice"), "alice"), (.handle(handle), "alice"), (.id(token("a")), "alice"),
            (.id("alice"), token("a").uppercased()),
        ] {
            let error = await #expect(throws: CustomerError.self) {
                try await shop.ledger.merge(other, into: id, by: .admin, scope: scope, source: .operator)
            }
            #expect(error?.code == .parameterInvalid)
        }
        #expect(try shop.events().count == size)
        try await shop.post(Purchase("2"), customerId: "bob")
        for _ in 1...2 {
            let merged = try await shop.ledger.merge(
                .id("bob"), into: "alice", by: .admin, scope: scope, source: .operator)
            #expect(try merged.json.view.purchases == ["1", "2"], "a merge may be repeated")
        }
    }

    @Test func `an operator links a key that is free, and hears of one that is not`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1"))
        let selector = SubscriptionSelector(originalTransactionId: "1")
        let linked = try await shop.ledger.link(selector, to: "alice", by: .admin, scope: scope, source: .operator)
        #expect(try linked.json.view.purchases == ["1"])
        let error = await #expect(throws: CustomerError.self) {
            try await shop.ledger.link(selector, to: "bob", by: .admin, scope: scope, source: .operator)
        }
        #expect(error?.code == .linkRefused)
        #expect(try shop.conflicts(of: "bob") == ["1"])
    }

    @Test func `events as earlier versions wrote them are read`() async throws {
        let shop = try TestLedger()
        let anonymous = try await shop.anonymousHandle(Purchase("1"))
        try await shop.post(Purchase("2"), customerId: "alice")
        try await shop.post(Purchase("3"), customerId: "bob")
        let links = try shop.events(.customerLinked).map { try JSONDocument(parsing: $0.body).root }
        let handles = links.compactMap { $0["handle"]?.string }
        let key = #""bundleId":"com.example.app","by":"app","environment":"Production","originalTransactionId":"#
        let bodies: [(EventKind, String)] = [
            (.customersMerged, #"{"by":"admin","handle":"\#(anonymous)","into":"\#(handles[1])"}"#),
            (.customerLinked, #"{\#(key)"4","handle":"\#(handles[1])"}"#),
            (.linkRefused, #"{\#(key)"3","code":"linkRefused","handle":"\#(handles[1])"}"#),
        ]
        try await shop.ingest(Purchase("4"))
        for (kind, body) in bodies {
            let draft = EventDraft(
                kind: kind, source: .http, environment: .none, artifact: .none, trust: .own,
                idempotencyKey: IdempotencyKey(artifact: .none, environment: .none, key: Array(body.utf8)),
                verifiedAt: Instant(milliseconds: 0), body: Array(body.utf8))
            _ = try await shop.ledger.log.append([shop.ledger.log.prepare(draft)])
        }
        shop.close()
        try FileManager.default.removeItem(atPath: shop.folder.derived)
        try shop.open()
        #expect(try shop.purchases(of: "alice") == ["1", "2", "4"])
        #expect(try shop.conflicts(of: "alice") == ["3"] && shop.conflicts(of: "bob") == ["3"])
    }

    @Test func `the conflicts in an answer to an app have advice for the person at the device`() async throws {
        let shop = try TestLedger()
        func conflicts(_ outcome: PostingAnswer<SubscriptionRow>) -> [String] {
            (outcome.customer?.conflicts ?? []).map { "\($0.id.originalTransactionId) \($0.with ?? "-") \($0.remedy)" }
        }
        try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        try await shop.post(Purchase("2"), customerId: "bob", by: .app)
        try await shop.ingest(Purchase("3", token: token("c")))

        let claimed = try await shop.post(Purchase("1"), customerId: "bob", by: .app)
        #expect(conflicts(claimed) == ["1 - Sign in as the customer who owns the purchase."])
        #expect(claimed.customer?.conflicts.map(\.because) == claimed.refused.map(\.reason))

        let unmapped = try await shop.post(Purchase("3", token: token("c")), customerId: "bob", by: .app)
        let useTheToken =
            "Use the appAccountToken of the purchase as the customer id, or post it once from a backend for this customer."
        #expect(conflicts(unmapped) == ["3 - \(useTheToken)"])
        #expect(
            unmapped.customer?.conflicts.first?.because
                == "the appAccountToken of the purchase is not mapped to this customer")

        let owner = try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        #expect(conflicts(owner) == ["1 - No action is required. The purchase stays with this customer."])
        let backend = try await shop.post(Purchase("1"), customerId: "alice", by: .backend)
        let transfer =
            "Decide who owns it with `subledger customer transfer ID --subscription ORIGINAL_TRANSACTION_ID`."
        #expect(conflicts(backend) == ["1 bob \(transfer)"])
    }

    @Test func `conflicts name the other by an id, and to an app not at all`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice", by: .app)
        try await shop.post(Purchase("2"), customerId: "bob", by: .app)
        let outcome = try await shop.post(Purchase("1"), customerId: "bob", by: .app)
        let told = try #require(try outcome.answer["conflicts"]?.elements?.first)
        #expect(told["with"]?.isNull == true)
        // The second answer for bob comes from the cache.
        for (id, other) in [("bob", "alice"), ("alice", "bob"), ("bob", "alice")] {
            let conflict = try #require(try shop.customer(id)["conflicts"]?.elements?.first)
            #expect(conflict["with"]?.string == other)
        }
        let conflict = try #require(try shop.customer("bob")["conflicts"]?.elements?.first)
        #expect(conflict["remedy"]?.string?.contains("customer transfer") == true)
        #expect(try outcome.answer.purchases.isEmpty)
    }
}
