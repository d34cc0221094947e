import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import HTTPTypes
import Primitives
import Testing

@Suite struct `Customers who are directed` {
    /// A store in which nobody has bought anything yet.
    private static func idle(customers: Int = 2) async throws -> ServedStore {
        try await ServedStore(customers: customers, isNotifying: true, isAccelerated: true)
    }

    private static func types(_ served: ServedStore) async -> [String] {
        await served.store.deliveries.map {
            [$0.notification.notificationType?.rawValue, $0.notification.subtype?.rawValue].compactMap { $0 }
                .joined(separator: " ")
        }
    }

    private static func play(_ served: ServedStore, minutes: Int64) async {
        await served.play(to: await served.store.now.advanced(byMilliseconds: minutes * Instant.millisecondsPerMinute))
    }

    @Test func `buy, renew, fail, recover, cancel, return and are refunded, as Apple reports it`() async throws {
        let served = try await Self.idle()
        let bought = try await served.call(
            .post, "/simulator/devices/0/purchase", ["productId": "pro.monthly", "offerId": "introductory"])
        #expect(bought.body?["transaction"]?["state"]?.string == "purchased")
        let jws = bought.body?["transaction"]?["signedTransactionInfo"]?.string
        #expect(try payload(jws)["offerType"]?.integer == 1)
        // A trial of a week takes three minutes, a month five.
        await Self.play(served, minutes: 4)
        _ = try await served.call(.post, "/simulator/customers/0/fail-billing")
        await Self.play(served, minutes: 5)
        _ = try await served.call(.post, "/simulator/customers/0/fix-billing")
        await Self.play(served, minutes: 1)
        _ = try await served.call(.post, "/simulator/customers/0/cancel")
        await Self.play(served, minutes: 10)
        _ = try await served.call(.post, "/simulator/customers/0/resubscribe")
        await Self.play(served, minutes: 1)
        _ = try await served.call(.post, "/simulator/customers/0/refund")
        await Self.play(served, minutes: 1)
        #expect(
            await Self.types(served) == [
                "SUBSCRIBED INITIAL_BUY", "DID_RENEW", "DID_FAIL_TO_RENEW GRACE_PERIOD",
                "DID_RENEW BILLING_RECOVERY", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", "EXPIRED VOLUNTARY",
                "SUBSCRIBED RESUBSCRIBE", "REFUND", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED",
            ])
        let truth = try await served.call(.get, "/simulator/customers/0").body
        #expect(truth?["subscriptions"]?.elements?.first?["status"]?.string == "revoked")
    }

    @Test func `renew twelve times by themselves in the sandbox`() async throws {
        let served = try await Self.idle()
        _ = try await served.call(.post, "/simulator/devices/0/purchase", ["productId": "pro.monthly"])
        await Self.play(served, minutes: 120)
        let types = await Self.types(served)
        #expect(types.filter { $0 == "DID_RENEW" }.count == 12 && types.last == "EXPIRED VOLUNTARY")
    }

    @Test func `change plans on the device`() async throws {
        let served = try await Self.idle()
        for product in ["pro.monthly", "pro.basic.monthly", "pro.monthly", "pro.max.monthly"] {
            let answer = try await served.call(
                .post, "/simulator/devices/0/purchase", ["productId": .string(product)])
            #expect(answer.body?["transaction"]?["state"]?.string == "purchased")
            await Self.play(served, minutes: 1)
        }
        #expect(
            await Self.types(served) == [
                "SUBSCRIBED INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
                "DID_CHANGE_RENEWAL_PREF UPGRADE",
            ])
    }

    @Test(arguments: [
        ("/simulator/customers/0/cancel", 409), ("/simulator/customers/0/refund", 409),
        ("/simulator/customers/0/resubscribe", 409), ("/simulator/customers/0/consent", 409),
        ("/simulator/customers/0/share", 409), ("/simulator/customers/0/stop-sharing", 409),
        ("/simulator/customers/9/cancel", 404), ("/simulator/customers/x/cancel", 400),
        ("/simulator/devices/0/answer", 400), ("/simulator/devices/0/finish", 400),
        ("/simulator/devices/0/purchase", 400),
    ])
    func `are told why they cannot`(_ path: String, _ status: Int) async throws {
        let served = try await Self.idle()
        let answer = try await served.call(.post, path)
        #expect(answer.status == status && answer.body?["message"]?.string?.isEmpty == false)
    }

    @Test func `do anything at any time without breaking the store`() async throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let served = try await ServedStore(seed: seed, customers: 10, isNotifying: true)
            var generator = SeededGenerator(seed: seed)
            await served.play(toDay: 60)
            var statuses: [Int: Int] = [:]
            for _ in 0..<400 {
                let customer = generator.below(20)
                let act = generator.element(of: [
                    "customers/\(customer)/cancel", "customers/\(customer)/resubscribe",
                    "customers/\(customer)/refund", "customers/\(customer)/consent",
                    "customers/\(customer)/fail-billing", "customers/\(customer)/fix-billing",
                    "customers/\(customer)/share", "customers/\(customer)/share",
                    "customers/\(customer)/stop-sharing",
                    "devices/\(customer)/restore", "devices/\(customer)/purchase", "devices/\(customer)/purchase",
                ])
                let products = served.store.app.catalog.products
                let product = generator.element(of: products)
                let offers = product.offers.map { $0.id ?? "introductory" } + [nil, nil]
                var body: [JSONValue.Member] = [.init("productId", .string(product.id))]
                if let offer = generator.element(of: offers) { body.append(.init("offerId", .string(offer))) }
                if generator.chance(percent: 10) { body.append(.init("askToBuy", true)) }
                let answer = try await served.call(.post, "/simulator/\(act)", .object(body))
                statuses[answer.status, default: 0] += 1
                let hours = generator.number(in: 0...100)
                await served.play(
                    to: await served.store.now.advanced(byMilliseconds: hours * Instant.millisecondsPerHour))
            }
            #expect(Set(statuses.keys) == [200, 409] && (statuses[200] ?? 0) > 100, "seed \(seed): \(statuses)")
            try await Self.compareStatuses(served, seed: seed)
        }
    }

    private static func compareStatuses(_ served: ServedStore, seed: UInt64) async throws {
        let codes: [TruthStatus: Int64] = [.active: 1, .expired: 2, .billingRetry: 3, .gracePeriod: 4, .revoked: 5]
        for row in await served.store.truth(at: await served.store.now) where row.state.expiresAt != nil {
            let body = try await served.call(.get, "/inApps/v1/subscriptions/\(row.originalTransactionId)").body
            let items = (body?["data"]?.elements ?? []).flatMap { $0["lastTransactions"]?.elements ?? [] }
            let own = items.first { $0["originalTransactionId"]?.string == row.originalTransactionId }
            #expect(own?["status"]?.integer == codes[row.state.status], "seed \(seed)")
        }
    }
}

@Suite struct `The payment queue of a device` {
    private static func idle() async throws -> ServedStore {
        try await ServedStore(customers: 2, isNotifying: true, isAccelerated: true)
    }

    private static func states(_ answer: ServedStore.Answer) -> [String] {
        answer.body?["queue"]?.elements?.compactMap { $0["state"]?.string } ?? []
    }

    @Test func `has a transaction at every launch until it is finished`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/0"
        _ = try await served.call(.get, path)
        let bought = try await served.call(.post, path + "/purchase", ["productId": "pro.monthly"])
        let payment = try #require(bought.body?["transaction"]?["payment"]?.integer)
        for _ in 0..<2 { #expect(Self.states(try await served.call(.get, path)) == ["purchased"]) }
        #expect(Self.states(try await served.call(.post, path + "/finish", ["payment": .integer(payment)])).isEmpty)
        await served.play(to: await served.store.now.advanced(byMilliseconds: 6 * Instant.millisecondsPerMinute))
        #expect(Self.states(try await served.call(.get, path)) == ["purchased"], "the renewal is new")
    }

    @Test func `waits for a parent for 24 hours, and asks once`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/1"
        let question: JSONValue = ["productId": "unlock", "askToBuy": true]
        let asked = try await served.call(.post, path + "/purchase", question)
        #expect(asked.body?["transaction"]?["state"]?.string == "deferred")
        let again = try await served.call(.post, path + "/purchase", question)
        #expect(again.body?["transaction"]?["payment"]?.integer == asked.body?["transaction"]?["payment"]?.integer)
        let approved = try await served.call(.post, path + "/answer", ["approved": true])
        #expect(approved.body?["transaction"]?["state"]?.string == "purchased")
        #expect(try await served.call(.post, path + "/answer", ["approved": true]).status == 409)

        _ = try await served.call(.post, path + "/purchase", ["productId": "season", "askToBuy": true])
        let declined = try await served.call(.post, path + "/answer", ["approved": false])
        #expect(declined.body?["transaction"]?["state"]?.string == "failed")
        _ = try await served.call(.post, path + "/purchase", ["productId": "season", "askToBuy": true])
        await served.play(to: await served.store.now.advanced(byMilliseconds: 25 * Instant.millisecondsPerHour))
        #expect(!Self.states(try await served.call(.get, path)).contains("deferred"))
        #expect(try await served.call(.post, path + "/answer", ["approved": true]).status == 409)
    }

    @Test func `shows what began outside the app at the next launch`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/0"
        for (product, start) in [("coins.100", "promoCode"), ("unlock", "promotedPurchase")] {
            let answer = try await served.call(
                .post, path + "/purchase", ["productId": .string(product), "begun": .string(start)])
            #expect(answer.body?["transaction"] != nil && answer.body?["transaction"]?["state"] == nil)
        }
        #expect(Self.states(try await served.call(.get, path)) == ["purchased", "purchased"])
    }

    @Test func `completes an interrupted purchase outside the app`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/0"
        let answer = try await served.call(
            .post, path + "/purchase", ["productId": "pro.monthly", "interrupted": true])
        #expect(answer.body?["transaction"]?["state"]?.string == "failed")
        #expect(answer.body?["transaction"]?["reason"]?.string == "interrupted")
        #expect(Self.states(try await served.call(.get, path)) == ["failed", "purchased"])
    }

    @Test func `restores purchases under new transaction ids`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/0"
        let bought = try await served.call(.post, path + "/purchase", ["productId": "pro.monthly"])
        let first = try payload(bought.body?["transaction"]?["signedTransactionInfo"]?.string)
        let restored = try await served.call(.post, path + "/restore")
        #expect(Self.states(restored) == ["restored"])
        let copy = try payload(restored.body?["queue"]?.elements?.first?["signedTransactionInfo"]?.string)
        #expect(copy["transactionId"]?.string != first["transactionId"]?.string)
        #expect(copy["originalTransactionId"]?.string == first["originalTransactionId"]?.string)
        #expect(copy["webOrderLineItemId"]?.string == first["webOrderLineItemId"]?.string)
    }

    @Test func `loses a consumable once it is finished`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/0"
        let bought = try await served.call(.post, path + "/purchase", ["productId": "coins.100", "quantity": 3])
        let transaction = try #require(bought.body?["transaction"])
        let id = try #require(transaction["transactionId"]?.string)
        #expect(try payload(transaction["signedTransactionInfo"]?.string)["quantity"]?.integer == 3)
        let history = "/inApps/v1/history/\(id)"
        #expect(try await served.call(.get, history).body?["signedTransactions"]?.elements?.count == 1)
        let payment = try #require(transaction["payment"]?.integer)
        #expect(Self.states(try await served.call(.post, path + "/finish", ["payment": .integer(payment)])).isEmpty)
        #expect(try await served.call(.get, history).body?["signedTransactions"]?.elements?.isEmpty == true)
    }

    @Test func `fails a payment that is declined`() async throws {
        let served = try await Self.idle()
        _ = try await served.call(.post, "/simulator/customers/0/fail-billing")
        let answer = try await served.call(.post, "/simulator/devices/0/purchase", ["productId": "pro.monthly"])
        #expect(answer.body?["transaction"]?["state"]?.string == "failed")
        #expect(answer.body?["transaction"]?["reason"]?.string == "the payment was declined")
    }
}
