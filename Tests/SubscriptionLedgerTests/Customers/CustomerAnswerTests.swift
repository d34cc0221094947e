import AppStoreModel
import EventLog
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

struct CustomerAnswerTests {
    @Test func `an unknown id is answered, and has nothing`() throws {
        let shop = try TestLedger()
        let answer = try shop.customer("nobody")
        #expect(
            answer.members.map(\.key)
                == [
                    "id", "asOf", "knownAt", "entitled", "entitlements", "subscriptions", "products", "groups",
                    "purchases",
                    "offers", "conflicts", "nextStep", "nextSteps",
                ])
        #expect(answer["id"]?.string == "nobody")
        #expect(answer["asOf"]?.string == "2026-01-15T12:00:00.000Z")
        #expect(answer["knownAt"]?.integer == 0)
        #expect(answer["subscriptions"]?.elements?.isEmpty == true)
        #expect(answer["nextStep"]?.string == "none")
    }

    @Test func `the rows are those of state, of the customer's keys alone`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("2"), Purchase("1"), customerId: "alice")
        try await shop.post(Purchase("3"), customerId: "bob")
        let question = AsOfQuery(asOf: TestLedger.now)
        let rows = try ["1", "2"].map { id in
            try #require(try shop.ledger.reader.state(of: SubscriptionSelector(originalTransactionId: id), question))
                .json.view
        }
        let expected = try rows.map { try #require($0["subscriptions"]?.elements?.first).text }
        #expect(try shop.customer("alice")["subscriptions"]?.elements?.map(\.text) == expected)
        let state = try shop.ledger.reader.state(ofCustomer: "alice", question).json.view
        #expect(state.members.map(\.key) == ["asOf", "knownAt", "subscriptions"])
        #expect(state["subscriptions"]?.elements?.map(\.text) == expected)
        let history = try shop.ledger.reader.history(ofCustomer: "alice", question).json.view
        #expect(history.purchases == ["1", "2"])
        let transitions = history["subscriptions"]?.elements?.map { $0["transitions"]?.elements?.count ?? 0 }
        #expect(transitions?.allSatisfy { $0 > 0 } == true)
        #expect(try shop.ledger.reader.state(ofCustomer: "nobody", question).json.view.purchases.isEmpty)
        #expect(try shop.ledger.reader.history(ofCustomer: "nobody", question).json.view.purchases.isEmpty)
    }

    @Test func `an answer after a posting has what was posted`() async throws {
        let shop = try TestLedger()
        for number in 1...20 {
            let outcome = try await shop.post(Purchase("\(number)"), customerId: "alice")
            #expect(try outcome.answer.purchases.count == number)
            #expect(try outcome.answer["knownAt"]?.integer == Int64(2 * number))
            #expect(try shop.purchases(of: "alice").count == number)
        }
    }

    @Test func `known at P is what a ledger that stopped there answers`() async throws {
        let shop = try TestLedger()
        var answers: [String] = [try shop.customer("alice", knownAt: 0).text]
        for number in 1...6 {
            try await shop.post(Purchase("\(number)"), customerId: number.isMultiple(of: 3) ? "bob" : "alice")
            answers.append(try shop.customer("alice").text)
        }
        for (number, answer) in answers.enumerated() {
            #expect(try shop.customer("alice", knownAt: UInt64(2 * number)).text == answer)
        }
    }

    @Test func `entitled is the customer's as a whole`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        #expect(try shop.customer("alice")["entitled"]?.bool == true)
        #expect(try shop.customer("nobody")["entitled"]?.bool == false)
    }

    @Test func `an answer lists Production only, unless asked otherwise`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1", environment: .sandbox), customerId: "tester")
        #expect(try shop.purchases(of: "tester").isEmpty)
        #expect(try shop.customer("tester")["entitled"]?.bool == false)
        #expect(try shop.customer("tester", environment: .sandbox).purchases == ["1"])
        let question = AsOfQuery(asOf: TestLedger.now)
        let other = CustomerScope(environment: .sandbox, bundleId: "com.example.other")
        #expect(try shop.ledger.reader.customer("tester", question, scope: other).subscriptions.isEmpty)
    }

    @Test func `consumables and non-renewing purchases are listed, with their refunds`() async throws {
        let shop = try TestLedger()
        var coins = Purchase("1")
        coins.type = "Consumable"
        var season = Purchase("2", number: 2)
        season.type = "Non-Renewing Subscription"
        try await shop.post(coins, season, customerId: "alice")
        func rows(_ asOf: Instant = TestLedger.now) throws -> [String] {
            try (shop.customer("alice", asOf: asOf)["purchases"]?.elements ?? []).map { row in
                [row["transactionId"]?.string, row["revokedAt"]?.string].compactMap(\.self).joined(separator: " ")
            }
        }
        #expect(try rows() == ["11", "22"])
        #expect(try rows(Instant(milliseconds: coins.start)) == ["11"])
        var refunded = coins
        refunded.copy = 2
        refunded.revokedAt = coins.start + 60_000
        try await shop.ingest(refunded)
        #expect(try rows() == ["11 2026-01-14T12:01:00.000Z", "22"])
        #expect(try rows(Instant(milliseconds: coins.start + 59_999)) == ["11"])
        var restored = coins
        restored.copy = 3
        try await shop.ingest(restored)
        #expect(try rows() == ["11", "22"], "the refund was reversed")
        #expect(try rows(Instant(milliseconds: restored.signedAt - 1)) == ["11 2026-01-14T12:01:00.000Z", "22"])
        let row = try #require(try shop.customer("alice")["purchases"]?.elements?.first)
        #expect(
            row.members.map(\.key)
                == [
                    "transactionId", "originalTransactionId", "environment", "bundleId", "productId", "type",
                    "quantity", "purchasedAt", "startsAt", "expiresAt", "revokedAt", "price", "currency",
                ])
        #expect(row["quantity"]?.integer == 1)
    }

    @Test func `the owner of a subscription is found by it`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), Purchase("2"), customerId: "alice")
        try await shop.ingest(Purchase("3", token: token("c")))
        let question = AsOfQuery(asOf: TestLedger.now)
        let owner = try #require(try shop.ledger.reader.customer(owning: "1", question, scope: CustomerScope()))
        #expect(owner.id == "alice" && owner.handle == nil)
        #expect(try owner.json.view.purchases == ["1", "2"])
        #expect(try shop.ledger.reader.customer(owning: "3", question, scope: CustomerScope())?.id == token("c"))
        #expect(try shop.ledger.reader.customer(owning: "4", question, scope: CustomerScope()) == nil)
    }

    @Test func `the owner of a subscription has the least of the names, and a handle only without any`() async throws {
        let shop = try TestLedger()
        func owner(_ id: String) throws -> String {
            let question = AsOfQuery(asOf: TestLedger.now)
            let answer = try #require(try shop.ledger.reader.customer(owning: id, question, scope: CustomerScope()))
            return "\(answer.id ?? "-") \(answer.handle ?? "-")"
        }
        try await shop.ingest(Purchase("0"))
        #expect(try owner("0") == "- -", "nobody owns it")
        let handle = try await shop.anonymousHandle(Purchase("1"))
        #expect(try owner("1") == "- \(handle)")
        _ = try await shop.ledger.identify("zoe", handle: handle, by: .backend)
        #expect(try owner("1") == "zoe -")
        try await shop.post(Purchase("2", token: token("b")), customerId: "zoe")
        #expect(try owner("1") == "\(token("b")) -" && owner("2") == owner("1"))
        try await shop.post(Purchase("3", token: token("b")), customerId: "adam", by: .app)
        #expect(try owner("3") == owner("1"), "the refused claimant does not name it")
        try shop.reopen()
        #expect(try owner("1") == "\(token("b")) -")
    }
}

extension JSONView {
    /// The verbatim JSON text.
    var text: String { String(decoding: document.bytes[byteRange], as: UTF8.self) }
}
