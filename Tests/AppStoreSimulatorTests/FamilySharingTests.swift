import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import HTTPTypes
import Primitives
import Testing

@Suite struct `Family Sharing of customers who are directed` {
    /// A store in which nobody has bought anything yet. The relative of customer 0 has the number 1.
    private static func idle() async throws -> ServedStore {
        try await ServedStore(customers: 1, isNotifying: true, isNotifyingVersion1: true, isAccelerated: true)
    }

    private static func buy(_ served: ServedStore, _ product: String, _ customer: Int = 0) async throws {
        let answer = try await served.call(
            .post, "/simulator/devices/\(customer)/purchase", ["productId": .string(product)])
        #expect(answer.body?["transaction"]?["state"]?.string == "purchased")
    }

    @discardableResult
    private static func act(
        _ served: ServedStore, _ name: String, _ customer: Int = 0, refusal: String? = nil
    ) async throws -> JSONView? {
        let answer = try await served.call(.post, "/simulator/customers/\(customer)/\(name)")
        #expect(answer.status == (refusal == nil ? 200 : 409), "\(name)")
        #expect(answer.body?["message"]?.string == refusal)
        return answer.body
    }

    private static func play(_ served: ServedStore, minutes: Int64) async {
        await served.play(to: await served.store.now.advanced(byMilliseconds: minutes * Instant.millisecondsPerMinute))
    }

    private static func transactions(_ served: ServedStore, of customer: Int) async throws -> [JSONView] {
        let answer = try await served.call(.get, "/simulator/devices/\(customer)/transactions")
        return try (answer.body?["signedTransactions"]?.elements ?? []).map { try payload($0.string) }
    }

    private static func types(_ served: ServedStore) async -> [String] {
        await served.store.deliveries.map { delivery in
            delivery.version1Type.map { "V1 \($0.rawValue)" }
                ?? [delivery.notification.notificationType?.rawValue, delivery.notification.subtype?.rawValue]
                .compactMap { $0 }.joined(separator: " ")
        }
    }

    @Test func `gives the relative transactions of its own, and revokes them`() async throws {
        let served = try await Self.idle()
        try await Self.buy(served, "pro.max.monthly")
        await Self.play(served, minutes: 1)
        try await Self.act(served, "share")
        await Self.play(served, minutes: 5)
        let own = try await Self.transactions(served, of: 0)
        let shared = try await Self.transactions(served, of: 1)
        #expect(own.count == 2 && shared.count == 2)
        #expect(Set((own + shared).map { $0["transactionId"]?.string }).count == 4)
        #expect(Set((own + shared).map { $0["originalTransactionId"]?.string }).count == 2)
        #expect(shared.allSatisfy { $0["inAppOwnershipType"]?.string == "FAMILY_SHARED" && $0["price"] == nil })
        #expect(shared.last?["expiresDate"]?.integer == own.last?["expiresDate"]?.integer)

        try await Self.act(served, "stop-sharing")
        await Self.play(served, minutes: 1)
        let stopped = await served.store.now.milliseconds - Instant.millisecondsPerMinute
        let revoked = try await Self.transactions(served, of: 1).map { $0["revocationDate"]?.integer }
        #expect(revoked.contains(stopped) && revoked.count { $0 == nil } == 1)
        #expect(try await Self.transactions(served, of: 0).allSatisfy { $0["revocationDate"] == nil })
        #expect(
            await Self.types(served) == [
                "SUBSCRIBED INITIAL_BUY", "V1 INITIAL_BUY", "SUBSCRIBED INITIAL_BUY", "DID_RENEW", "V1 DID_RENEW",
                "DID_RENEW", "V1 DID_RENEW", "REVOKE", "V1 REVOKE",
            ])
    }

    @Test func `is in the relative's receipt, with the date of its end`() async throws {
        let served = try await Self.idle()
        try await Self.buy(served, "pro.max.monthly")
        try await Self.act(served, "share")
        for isShared in [true, false] {
            let token = try await served.call(.get, "/simulator/devices/1/receipt").body?["receipt"]?.string
            let answer = try await served.call(
                .post, "/verifyReceipt",
                [
                    "receipt-data": .string(try #require(token)),
                    "password": .string(served.store.configuration.sharedSecret),
                ])
            let row = try #require(answer.body?["latest_receipt_info"]?.elements?.first)
            #expect(row["in_app_ownership_type"]?.string == "FAMILY_SHARED")
            #expect((row["cancellation_date_ms"] == nil) == isShared)
            if isShared { try await Self.act(served, "stop-sharing") }
        }
    }

    @Test func `returns to the same copy, in the period in which it ended and in a later one`() async throws {
        let served = try await Self.idle()
        try await Self.buy(served, "pro.max.monthly")
        for minutes in [1, 5] as [Int64] {
            try await Self.act(served, "share")
            await Self.play(served, minutes: 1)
            try await Self.act(served, "stop-sharing")
            await Self.play(served, minutes: minutes)
        }
        try await Self.act(served, "share")
        await Self.play(served, minutes: 1)
        let copies = try await Self.transactions(served, of: 1)
        #expect(copies.count == 3 && Set(copies.map { $0["originalTransactionId"]?.string }).count == 1)
        let lineItems = copies.map { $0["webOrderLineItemId"]?.string }
        #expect(lineItems[0] == lineItems[1] && lineItems[1] != lineItems[2])
        let types = await Self.types(served).filter { $0.hasPrefix("SUBSCRIBED") }
        #expect(
            types == ["SUBSCRIBED INITIAL_BUY", "SUBSCRIBED INITIAL_BUY"]
                + [String](repeating: "SUBSCRIBED RESUBSCRIBE", count: 2))
        let states = try await served.call(.get, "/simulator/customers/1").body?["subscriptions"]?.elements
        #expect(states?.map { $0["status"]?.string } == ["active"])
    }

    @Test func `ends with the refund of what is shared`() async throws {
        let served = try await Self.idle()
        try await Self.buy(served, "pro.max.monthly")
        try await Self.act(served, "share")
        try await Self.act(served, "refund")
        let states = try await served.call(.get, "/simulator/customers/1").body?["subscriptions"]?.elements
        #expect(states?.map { $0["status"]?.string } == ["revoked"])
    }

    @Test func `is refused with the reason`() async throws {
        let served = try await Self.idle()
        try await Self.act(served, "share", refusal: "the customer has no such subscription that is active")
        try await Self.buy(served, "pro.monthly")
        try await Self.act(served, "share", refusal: "pro.monthly cannot be shared with the family")
        try await Self.act(served, "stop-sharing", refusal: "the customer has no such subscription that is shared")
        try await Self.buy(served, "pro.max.monthly")
        try await Self.act(served, "share")
        try await Self.act(served, "share", refusal: "it is shared already")
        try await Self.act(
            served, "share", 1, refusal: "the customer has no such subscription that is active")
        try await Self.act(served, "stop-sharing")
        try await Self.buy(served, "pro.monthly")
        try await Self.act(served, "share", refusal: "pro.monthly cannot be shared with the family")
    }

    /// Apple charges up to a day before the end.
    @Test func `neither begins nor ends between the charge for a period and its start`() async throws {
        let served = try await ServedStore(customers: 8)
        for customer in 0..<8 {
            try await Self.buy(served, "pro.max.monthly", customer)
            if customer < 4 { try await Self.act(served, "share", customer) }
        }
        // An hour before the end.
        let start = served.store.configuration.simulation.start
        await served.play(to: start.advanced(byMilliseconds: (31 * 24 - 1) * Instant.millisecondsPerHour))
        var charged = 0
        for customer in 0..<8 {
            let isCharged = try await Self.transactions(served, of: customer).count == 2
            if isCharged { charged += 1 }
            let refusal = isCharged ? "the next period is charged already: wait until it has begun" : nil
            try await Self.act(served, customer < 4 ? "stop-sharing" : "share", customer, refusal: refusal)
            if customer < 4, isCharged { try await Self.act(served, "refund", customer, refusal: refusal) }
        }
        #expect(charged > 4)
        await served.play(toDay: 32)
        for customer in 0..<4 {
            guard try await Self.transactions(served, of: customer + 8).count == 2 else { continue }
            try await Self.act(served, "stop-sharing", customer)
        }
    }
}
