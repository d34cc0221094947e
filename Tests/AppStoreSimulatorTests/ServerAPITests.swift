import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import Crypto
import FoundationEssentials
import HTTPTypes
import Primitives
import Testing

@Suite struct `The simulated Server API` {
    private static func played(customers: Int = 60, toDay day: Int64 = 300) async throws -> ServedStore {
        let served = try await ServedStore(customers: customers, isNotifying: true)
        await served.play(toDay: day)
        return served
    }

    private static func keys(_ served: ServedStore) async -> [TruthRow] {
        await served.store.truth(at: await served.store.now)
    }

    @Test func `states each subscription's status with the newest signed data`() async throws {
        let served = try await Self.played()
        let codes: [TruthStatus: Int64] = [.active: 1, .expired: 2, .billingRetry: 3, .gracePeriod: 4, .revoked: 5]
        var count = 0
        for row in await Self.keys(served) {
            let answer = try await served.call(.get, "/inApps/v1/subscriptions/\(row.originalTransactionId)")
            #expect(answer.status == 200)
            let body = try #require(answer.body)
            #expect(body["bundleId"]?.string == "com.example.app" && body["appAppleId"]?.integer == 1_234_567_890)
            let groups = try #require(body["data"]?.elements)
            for item in groups.flatMap({ $0["lastTransactions"]?.elements ?? [] }) {
                guard item["originalTransactionId"]?.string == row.originalTransactionId else { continue }
                #expect(item["status"]?.integer == codes[row.state.status])
                let transaction = try payload(item["signedTransactionInfo"]?.string)
                let renewalInfo = try payload(item["signedRenewalInfo"]?.string)
                #expect(transaction["originalTransactionId"]?.string == row.originalTransactionId)
                #expect(renewalInfo["signedDate"]?.integer == (await served.store.now).milliseconds)
                count += 1
            }
        }
        #expect(count > 60)
    }

    @Test func `includes only the statuses asked for`() async throws {
        let served = try await Self.played()
        let row = try #require(
            await Self.keys(served).first { $0.state.status == .active && $0.state.expiresAt != nil })
        let path = "/inApps/v1/subscriptions/\(row.originalTransactionId)"
        #expect(try await served.call(.get, path + "?status=2&status=3").body?["data"]?.elements?.isEmpty == true)
        #expect(try await served.call(.get, path + "?status=1&status=4").body?["data"]?.elements?.isEmpty == false)
        #expect(try await served.call(.get, path + "?status=6").code == 4_000_031)
    }

    @Test func `pages the history by revision, and gives what changed since the last one`() async throws {
        let served = try await Self.played(customers: 120, toDay: 540)
        var longest = 0
        for row in await Self.keys(served) {
            let path = "/inApps/v2/history/\(row.originalTransactionId)"
            var ids: [String] = []
            var revision = ""
            var hasMore = true
            while hasMore {
                let page = try #require(
                    try await served.call(.get, path + (revision.isEmpty ? "" : "?revision=\(revision)")).body)
                let transactions = try #require(page["signedTransactions"]?.elements)
                #expect(transactions.count <= 20)
                ids += try transactions.map { try payload($0.string)["transactionId"]?.string ?? "" }
                revision = try #require(page["revision"]?.string)
                hasMore = page["hasMore"]?.bool ?? false
            }
            // A one-time purchase bought again after its refund has another transaction.
            #expect(ids.contains(row.originalTransactionId) || row.state.expiresAt == nil)
            #expect(Set(ids).count == ids.count)
            longest = max(longest, ids.count)
            let rest = try await served.call(.get, path + "?revision=\(revision)").body
            #expect(rest?["signedTransactions"]?.elements?.isEmpty == true && rest?["hasMore"]?.bool == false)
            #expect(rest?["revision"]?.string == revision)
        }
        #expect(longest > 20)
    }

    @Test func `gives a transaction again that changed after the revision`() async throws {
        let served = try await Self.played()
        let row = try #require(
            await Self.keys(served).first {
                $0.state.status == .active && $0.ownership == .purchased && $0.paidDays > 0
                    && $0.state.willRenew == true
            })
        let path = "/inApps/v2/history/\(row.originalTransactionId)"
        var revision = "0"
        var first: [String] = []
        for _ in 0..<3 {
            let page = try await served.call(.get, path + (revision == "0" ? "" : "?revision=\(revision)")).body
            first += try (page?["signedTransactions"]?.elements ?? []).map {
                try payload($0.string)["transactionId"]?.string ?? ""
            }
            revision = try #require(page?["revision"]?.string)
        }
        let token = "6f1c1b7e-52cf-4c4b-9a3d-6a4c7d2f9b10"
        let set = try await served.call(
            .put, "/inApps/v1/transactions/\(row.originalTransactionId)/appAccountToken",
            ["appAccountToken": .string(token)])
        #expect(set.status == 200)
        let changed = try #require(
            try await served.call(.get, path + "?revision=\(revision)").body?["signedTransactions"]?.elements)
        #expect(changed.count == 1)
        let transaction = try payload(changed.first?.string)
        #expect(transaction["appAccountToken"]?.string == token)
        #expect(first.contains(try #require(transaction["transactionId"]?.string)))
    }

    @Test(arguments: [
        ("?revision=nonsense", 4_000_005), ("?revision=3_00000000", 4_000_005), ("?sort=UP", 4_000_021),
        ("?productType=SOAP", 4_000_022), ("?inAppOwnershipType=MINE", 4_000_026), ("?revoked=maybe", 4_000_030),
        ("?startDate=x", 4_000_015), ("?endDate=-1", 4_000_016), ("?startDate=2000&endDate=1000", 4_000_013),
    ])
    func `refuses a wrong parameter of the history with Apple's code`(_ query: String, _ code: Int64) async throws {
        let served = try await ServedStore(customers: 1)
        await served.play(toDay: 200)
        let key = try #require(await Self.keys(served).first)
        let answer = try await served.call(.get, "/inApps/v2/history/\(key.originalTransactionId)\(query)")
        #expect(answer.status == 400 && answer.code == code)
    }

    @Test func `filters the history`() async throws {
        let served = try await Self.played()
        var filtered = 0
        for row in await Self.keys(served).prefix(40) {
            let path = "/inApps/v2/history/\(row.originalTransactionId)"
            for (query, holds) in Self.filters {
                let body = try await served.call(.get, path + query).body
                for jws in try #require(body?["signedTransactions"]?.elements) {
                    #expect(holds(try payload(jws.string)))
                    filtered += 1
                }
            }
        }
        #expect(filtered > 100)
    }

    private static let filters: [(String, @Sendable (JSONView) -> Bool)] = [
        ("?productType=AUTO_RENEWABLE", { $0["type"]?.string == "Auto-Renewable Subscription" }),
        ("?productType=CONSUMABLE&productType=NON_CONSUMABLE", { $0["expiresDate"] == nil }),
        ("?productId=pro.monthly", { $0["productId"]?.string == "pro.monthly" }),
        ("?subscriptionGroupIdentifier=21000002", { $0["productId"]?.string?.hasPrefix("news") ?? false }),
        ("?inAppOwnershipType=FAMILY_SHARED", { $0["inAppOwnershipType"]?.string == "FAMILY_SHARED" }),
        ("?revoked=true", { $0["revocationDate"] != nil }), ("?revoked=false", { $0["revocationDate"] == nil }),
        ("?startDate=1743465600000", { ($0["purchaseDate"]?.integer ?? 0) >= 1_743_465_600_000 }),
        ("?endDate=1743465600000", { ($0["purchaseDate"]?.integer ?? .max) < 1_743_465_600_000 }),
    ]

    @Test func `omits a finished consumable from the first version of the history only`() async throws {
        let served = try await Self.played(customers: 200, toDay: 540)
        for row in await Self.keys(served) {
            let id = row.originalTransactionId
            func consumables(_ version: String) async throws -> [String] {
                let body = try await served.call(.get, "/inApps/\(version)/history/\(id)?productType=CONSUMABLE").body
                return try (body?["signedTransactions"]?.elements ?? []).map {
                    try #require(try payload($0.string)["transactionId"]?.string)
                }
            }
            let bought = try await consumables("v1")
            guard let first = bought.first else { continue }
            #expect(try await served.call(.post, "/inApps/v1/transactions/\(first)/finish").status == 200)
            #expect(try await consumables("v1") == Array(bought.dropFirst()))
            #expect(try await consumables("v2") == bought)
            return
        }
        Issue.record("nobody bought a consumable")
    }

    @Test func `states the refunds of an account`() async throws {
        let served = try await Self.played()
        var count = 0
        for row in await Self.keys(served) {
            let body = try await served.call(.get, "/inApps/v2/refund/lookup/\(row.originalTransactionId)").body
            let dates = try (body?["signedTransactions"]?.elements ?? []).map {
                try #require(try payload($0.string)["revocationDate"]?.integer)
            }
            #expect(dates == dates.sorted())
            count += dates.count
        }
        #expect(count > 5)
    }

    @Test func `answers a transaction, an app transaction and an order`() async throws {
        let served = try await Self.played()
        let row = try #require(await Self.keys(served).first)
        let id = row.originalTransactionId
        let info = try await served.call(.get, "/inApps/v1/transactions/\(id)").body
        let transaction = try payload(info?["signedTransactionInfo"]?.string)
        #expect(transaction["transactionId"]?.string == id)
        let app = try await served.call(.get, "/inApps/v1/transactions/appTransactions/\(id)").body
        let appTransaction = try payload(app?["signedAppTransactionInfo"]?.string)
        #expect(appTransaction["appTransactionId"]?.string == transaction["appTransactionId"]?.string)
        let order = try await served.call(.get, "/inApps/v1/lookup/\(OrderID.of(transactionId: id))").body
        #expect(order?["status"]?.integer == 0)
        #expect(try payload(order?["signedTransactions"]?.elements?.first?.string)["transactionId"]?.string == id)
        let wrong = try await served.call(.get, "/inApps/v1/lookup/WRONG").body
        #expect(wrong?["status"]?.integer == 1)
    }

    @Test(arguments: [
        ("410000000000000", 404, 4_040_010), ("7", 404, 4_040_010), ("abc", 400, 4_000_006),
        ("99999999999999999999999", 404, 4_040_010),
    ])
    func `does not know an id that it did not give out`(_ id: String, _ status: Int, _ code: Int64) async throws {
        let served = try await ServedStore(customers: 1)
        for path in ["transactions", "subscriptions", "../inApps/v2/history"].prefix(2) {
            let answer = try await served.call(.get, "/inApps/v1/\(path)/\(id)")
            #expect(answer.status == status && answer.code == code)
        }
    }

    @Test func `extends a renewal date twice a year`() async throws {
        let served = try await Self.played()
        let row = try #require(
            await Self.keys(served).first {
                $0.state.status == .active && $0.ownership == .purchased && $0.paidDays > 0
                    && $0.state.productId.hasSuffix("yearly")
            })
        func extend(_ days: Int64) async throws -> ServedStore.Answer {
            try await served.call(
                .put, "/inApps/v1/subscriptions/extend/\(row.originalTransactionId)",
                ["extendByDays": .integer(days), "extendReasonCode": 1, "requestIdentifier": .string("outage-\(days)")])
        }
        let end = try #require(row.state.expiresAt)
        let answer = try await extend(7)
        #expect(answer.status == 200 && answer.body?["success"]?.bool == true)
        #expect(answer.body?["effectiveDate"]?.integer == end.milliseconds + 7 * Instant.millisecondsPerDay)
        #expect(try await extend(3).status == 200)
        let third = try await extend(1)
        #expect(third.status == 403 && third.code == 4_030_005)
        #expect(try await extend(91).code == 4_000_009)
    }

    private static let wrongConsumption: [(JSONValue, Int64)] = [
        (["customerConsented": false, "deliveryStatus": "DELIVERED"], 4_000_035),
        (["customerConsented": true, "deliveryStatus": "LATE"], 4_000_036),
        (["customerConsented": true, "deliveryStatus": "DELIVERED"], 4_000_041),
    ]

    @Test(arguments: wrongConsumption)
    func `refuses consumption information that Apple would refuse`(_ body: JSONValue, _ code: Int64) async throws {
        let served = try await Self.played()
        let id = try #require(await Self.keys(served).first).originalTransactionId
        #expect(try await served.call(.put, "/inApps/v2/transactions/consumption/\(id)", body).code == code)
    }

    @Test func `takes consumption information`() async throws {
        let served = try await Self.played()
        let id = try #require(await Self.keys(served).first).originalTransactionId
        let body: JSONValue = [
            "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
            "refundPreference": "DECLINE",
        ]
        #expect(try await served.call(.put, "/inApps/v2/transactions/consumption/\(id)", body).status == 202)
        #expect(await served.store.consumption[id] == body)
    }

    @Test func `allows as many calls an hour as Apple`() async throws {
        let served = try await ServedStore(customers: 1, isNotifying: true, environment: .sandbox)
        await served.play(toDay: 1)
        var answers: [Int] = []
        for _ in 0..<361 { answers.append(try await served.call(.post, "/inApps/v1/notifications/test").status) }
        #expect(answers.dropLast().allSatisfy { $0 == 200 })
        let refused = try await served.call(.post, "/inApps/v1/notifications/test")
        #expect(refused.status == 429 && refused.code == 4_290_000)
        let retryAfter = try #require(refused.headers[.retryAfter].flatMap { Int64($0) })
        #expect(retryAfter == (await served.store.now).milliseconds + Instant.millisecondsPerHour)
        await served.play(to: Instant(milliseconds: retryAfter))
        #expect(try await served.call(.post, "/inApps/v1/notifications/test").status == 200)
    }
}

@Suite struct `A token for the Server API` {
    private static let key = P256.Signing.PrivateKey()

    private static func accepts(_ token: String) async throws -> Bool {
        try await APICredentials(bundleId: "com.example.app", key: key).accept(token)
    }

    @Test func `is accepted as Apple's libraries make it`() async throws {
        #expect(try await Self.accepts(ServedStore.token(key: Self.key)))
        #expect(try await Self.accepts(ServedStore.token(key: Self.key, seconds: 3_600)))
    }

    @Test func `is refused when anything in it is wrong`() async throws {
        let ago = Date().addingTimeInterval(-400)
        let ahead = Date().addingTimeInterval(120)
        let wrong = [
            try await ServedStore.token(key: P256.Signing.PrivateKey()),
            try await ServedStore.token(key: Self.key, kid: "OTHERKEY"),
            try await ServedStore.token(key: Self.key, bundleId: "com.example.other"),
            try await ServedStore.token(key: Self.key, audience: "somebody"),
            try await ServedStore.token(key: Self.key, issuer: "somebody"),
            try await ServedStore.token(key: Self.key, issuedAt: ago),
            try await ServedStore.token(key: Self.key, issuedAt: ahead),
            try await ServedStore.token(key: Self.key, seconds: 3_700), "", "a.b.c",
        ]
        for token in wrong { #expect(try await !Self.accepts(token)) }
    }

    @Test func `is required by every route`() async throws {
        let served = try await ServedStore(customers: 1)
        for path in ["transactions/1", "subscriptions/1", "history/1", "notifications/test/1"] {
            let answer = try await served.call(.get, "/inApps/v1/\(path)", token: "wrong")
            #expect(answer.status == 401 && answer.body == nil)
        }
    }
}
