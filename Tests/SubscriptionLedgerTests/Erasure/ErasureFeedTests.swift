import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `The feed after an erasure` {
    @Test(arguments: [true, false])
    func `unlinks the customer, keeps its numbers and cursors, and names nobody`(withEvidence: Bool) async throws {
        let world = try await ErasureWorld()
        try await world.shop.ingest(Purchase("5", token: token("c")))
        var cursor: TransitionCursor?
        let before = try world.shop.transitions(after: &cursor)
        #expect(before.contains { $0.customers.contains(ErasureWorld.alice) })
        let answer = try await world.erase(withEvidence: withEvidence)
        let new = try world.shop.transitions(after: &cursor)
        #expect(new.contains { $0.change.contains("unlinked") && $0.cause == "customerErased" })
        #expect(new.allSatisfy { $0.position >= answer.position ?? 0 })
        let all = try world.shop.transitions()
        #expect(all.count == before.count + new.count && all.map(\.sequence) == Array(0..<UInt64(all.count)))
        #expect(all.allSatisfy { !$0.customers.contains(ErasureWorld.alice) })
        if withEvidence {
            #expect(all.allSatisfy { !$0.customers.contains(ErasureWorld.tokens.alice) })
            _ = try await world.erase(token("c"))
            #expect(try world.shop.transitions().allSatisfy { !$0.customers.contains(token("c")) })
            #expect(try !world.isStored(token("c")))
        }
        for (old, row) in zip(before, all) {
            #expect(old.after.serialized() == row.after.serialized() && old.change == row.change)
        }
        // The cursor from before is still one of this feed.
        #expect(try world.shop.transitions(after: &cursor).isEmpty)
    }
}

@Suite struct `Erasures and later events` {
    /// Deliveries of three subscriptions in any order, with erasures between them, give the answers of a ledger without
    /// erasures.
    @Test func `converge to the same subscriptions`() async throws {
        var random = SeededRandom(seed: TestEnvironment.seed)
        var deliveries: [String] = []
        for id in ["1", "2", "3"] {
            for number in 1...3 {
                let purchase = Purchase(id, number: number, token: token("a"), account: "7048974699033830\(id)")
                deliveries += [purchase.text, ErasureWorld.notification("\(id)\(number)", about: purchase)]
            }
        }
        let plain = try TestLedger()
        for delivery in deliveries { try await plain.ingest(delivery) }
        func answers(_ shop: TestLedger) throws -> [String] {
            try ["1", "2", "3"].map { id in
                try #require(
                    try shop.reader.history(
                        of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: TestLedger.now),
                        explained: false)
                ).json.apartFromPositions
            }
        }
        let expected = try answers(plain)
        for round in 0..<6 {
            let shop = try TestLedger()
            let order = deliveries.shuffled(using: &random)
            let erasures = Set((0..<2).map { _ in Int.random(in: 1...order.count, using: &random) })
            for (number, delivery) in order.enumerated() {
                try await shop.ingest(delivery)
                if erasures.contains(number + 1) {
                    #expect(try await shop.ledger.erase(token("a"), withEvidence: true, by: .admin).erased)
                }
            }
            #expect(try answers(shop) == expected, "round \(round), seed \(TestEnvironment.seed)")
        }
    }
}

@Suite struct `A report on a customer` {
    @Test func `has all that is held, and nothing of others`() async throws {
        let world = try await ErasureWorld()
        let report = try world.shop.reader.report(on: ErasureWorld.alice)
        #expect(report.ids == [ErasureWorld.alice] && report.appAccountTokens == [ErasureWorld.tokens.alice])
        let json = try report.json.view
        let transactions = try #require(json["transactions"]?.elements)
        #expect(Set(transactions.compactMap { $0["transactionId"]?.string }) == ["11", "12", "13", "21", "22"])
        #expect(json["grants"]?.elements?.count == 1)
        #expect(json["links"]?.elements?.contains { $0["kind"]?.string == "customerLinked" } == true)
        let events = try #require(json["events"]?.elements)
        let shared = try #require(events.first { $0["position"]?.integer == Int64(world.shared) })
        #expect(shared["isShared"]?.bool == true && shared["content"]?.isNull == true)
        #expect(
            shared["parts"]?.elements?.compactMap(\.string) == [
                Purchase("1", number: 3, token: ErasureWorld.tokens.alice).text
            ])
        let own = try #require(events.first { $0["kind"]?.string == "transactionVerified" })
        #expect(
            own["content"]?.string
                == Purchase("1", token: ErasureWorld.tokens.alice, account: ErasureWorld.accounts.alice).text)
        let text = report.json.serialized()
        for foreign in ["\"bob\"", ErasureWorld.tokens.bob, ErasureWorld.accounts.bob, "carol"] {
            #expect(!text.contains(foreign), "\(foreign)")
        }
        // The same by the token and by the handle.
        for id in [ErasureWorld.tokens.alice, report.handle ?? ""] {
            #expect(try world.shop.reader.report(on: id).events == report.events)
        }
        #expect(throws: CustomerError.self) { try world.shop.reader.report(on: "nobody") }
        _ = try await world.erase()
        #expect(throws: CustomerError.self) { try world.shop.reader.report(on: ErasureWorld.alice) }
    }
}
