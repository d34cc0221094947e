import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import HTTPTypes
import Primitives
import Testing

@Suite struct `verifyReceipt` {
    private static let secret = "5ab1ed6e000040008000000000005ec7"

    /// Returns the receipt of a customer's device.
    private static func receipt(_ served: ServedStore, customer: Int = 0, _ query: String = "") async throws -> String {
        let answer = try await served.call(.get, "/simulator/devices/\(customer)/receipt\(query)")
        return try #require(answer.body?["receipt"]?.string)
    }

    private static func verify(
        _ served: ServedStore, _ receipt: String, password: String? = secret, _ more: [JSONValue.Member] = []
    ) async throws -> JSONView {
        var members = [JSONValue.Member("receipt-data", .string(receipt))]
        if let password { members.append(.init("password", .string(password))) }
        let answer = try await served.call(.post, "/verifyReceipt", .object(members + more), token: "none")
        #expect(answer.status == 200)
        return try #require(answer.body)
    }

    @Test func `answers with the receipt, the newest rows and a receipt of now`() async throws {
        let served = try await ServedStore(customers: 30)
        await served.play(toDay: 150)
        let tokens = try await (0..<60).asyncMap { try await Self.receipt(served, customer: $0) }
        await served.play(toDay: 300)
        var renewed = 0
        for (customer, token) in tokens.enumerated() {
            let answer = try await Self.verify(served, token)
            #expect(answer["status"]?.integer == 0 && answer["environment"]?.string == "Production")
            let request = answer["receipt"]?["request_date_ms"]?.string
            #expect(request == "\(await served.store.now.milliseconds)")
            guard let latest = answer["latest_receipt"]?.string, !latest.isEmpty else { continue }
            #expect(latest == (try await Self.receipt(served, customer: customer)))
            if latest != token { renewed += 1 }
            #expect(try await Self.verify(served, latest)["status"]?.integer == 0)
        }
        #expect(renewed > 20)
    }

    @Test func `gives the newest state only to the owner of the shared secret`() async throws {
        let served = try await ServedStore(customers: 1)
        await served.play(toDay: 300)
        let token = try await Self.receipt(served)
        let answer = try await Self.verify(served, token, password: nil)
        #expect(answer["status"]?.integer == 0 && answer["receipt"]?["in_app"]?.elements?.isEmpty == false)
        for key in ["latest_receipt", "latest_receipt_info", "pending_renewal_info"] as [StaticString] {
            #expect(answer[key] == nil)
        }
        let newest = try await Self.verify(served, token, [.init("exclude-old-transactions", true)])
        let all = try await Self.verify(served, token)
        let counts = [newest, all].map { $0["latest_receipt_info"]?.elements?.count ?? 0 }
        #expect(counts[0] >= 1 && counts[0] < counts[1])
    }

    private static let wrongRequests: [(JSONValue, Int64)] = [
        (.array([]), 21_000), ("text", 21_000), ([:], 21_002), (["receipt-data": 5], 21_002),
        (["receipt-data": ""], 21_002), (["receipt-data": "not base64"], 21_002),
        (["receipt-data": "MAMCAQU="], 21_002),
    ]

    @Test(arguments: wrongRequests)
    func `refuses what is no request or no receipt`(_ body: JSONValue, _ status: Int64) async throws {
        let answer = try await ServedStore(customers: 1).call(.post, "/verifyReceipt", body)
        #expect(answer.status == 200 && answer.body?["status"]?.integer == status)
    }

    @Test func `refuses anything but POST, a changed receipt, a wrong secret and an unknown account`() async throws {
        let served = try await ServedStore(customers: 1)
        await served.play(toDay: 200)
        #expect(try await served.call(.get, "/verifyReceipt").body?["status"]?.integer == 21_000)
        let token = try await Self.receipt(served)
        var bytes = try #require(Base64.decode(token))
        // The end of a receipt is its signature; the environment is at its beginning.
        bytes[bytes.count - 9] ^= 1
        #expect(try await Self.verify(served, Base64.encode(bytes))["status"]?.integer == 21_003)
        bytes[bytes.count - 9] ^= 1
        bytes[90] ^= 1
        #expect([21_002, 21_003].contains(try await Self.verify(served, Base64.encode(bytes))["status"]?.integer))
        #expect(try await Self.verify(served, token, password: "other")["status"]?.integer == 21_004)
        let larger = try await ServedStore(customers: 9)
        let stranger = try await Self.receipt(larger, customer: 8)
        #expect(try await Self.verify(served, stranger)["status"]?.integer == 21_010)
    }

    @Test(
        arguments: [
            ("Production", 0, 21_008), ("ProductionVPP", 0, 21_008), ("ProductionSandbox", 21_007, 0),
            ("ProductionVPPSandbox", 21_007, 0),
        ] as [(String, Int64, Int64)])
    func `sends a receipt to the environment that issued it`(
        _ type: String, _ inProduction: Int64, _ inSandbox: Int64
    ) async throws {
        for (environment, status) in [(.production, inProduction), (.sandbox, inSandbox)]
            as [(AppStoreModel.Environment, Int64)]
        {
            let served = try await ServedStore(customers: 1, environment: environment)
            let answer = try await Self.verify(served, try await Self.receipt(served, "?type=\(type)"))
            #expect(answer["status"]?.integer == status)
            #expect(answer["receipt"]?["receipt_type"]?.string == (status == 0 ? type : nil))
        }
    }

    @Test func `states the end of an app that an organisation bought, also when it is over`() async throws {
        let served = try await ServedStore(customers: 1)
        let token = try await Self.receipt(served, "?type=ProductionVPP&expires=2024-05-01T10:00:00Z")
        let receipt = try await Self.verify(served, token)["receipt"]
        #expect(receipt?["expiration_date"]?.string == "2024-05-01 10:00:00 Etc/GMT")
        #expect(receipt?["receipt_type"]?.string == "ProductionVPP")
    }

    /// The answer to a receipt of iOS 6 states no other time.
    @Test func `has the time of the store as its date, beside routes that have the real one`() async throws {
        let served = try await ServedStore(customers: 1)
        await served.play(to: try #require(Instant(iso8601: "2025-06-01T09:08:07.650Z")))
        let body: JSONValue = ["receipt-data": .string(try await Self.receipt(served))]
        let answer = try await served.call(.post, "/verifyReceipt", body, isLive: true)
        #expect(answer.body?["status"]?.integer == 0)
        #expect(answer.headers[.date] == "Sun, 01 Jun 2025 09:08:07 GMT")
        #expect(!answer.headers.contains { $0.name.rawName.hasPrefix("X-") })
        let clock = try await served.call(.get, "/simulator/clock", isLive: true)
        #expect(clock.headers[.date]?.hasSuffix(" GMT") == true)
        #expect(clock.headers[.date]?.contains(" 2025 ") == false)
    }

    @Test func `fails on purpose`() async throws {
        let served = try await ServedStore(customers: 1)
        let token = try await Self.receipt(served)
        func failing(_ faults: String) async throws -> ServedStore {
            try await ServedStore(customers: 1, faults: try Faults(parsing: faults))
        }
        #expect(try await Self.verify(failing("status21005=1"), token)["status"]?.integer == 21_005)
        let broken = try await failing("status5xx=1").call(
            .post, "/verifyReceipt", ["receipt-data": .string(token)])
        #expect(broken.status == 503 && broken.body == nil)
        let internalErrors = try await failing("status211xx=1")
        var words: Set<String> = []
        for _ in 0..<60 {
            let answer = try await Self.verify(internalErrors, token)
            #expect((21_100...21_199).contains(try #require(answer["status"]?.integer)))
            for member in answer.members where member.key != "status" && member.key != "environment" {
                words.insert("\(member.key) \(member.value.bool ?? (member.value.integer == 1))")
            }
        }
        #expect(
            words == ["is_retryable true", "is_retryable false", "is-retryable true", "is-retryable false"])
    }
}

@Suite struct `A receipt on a device` {
    private static func idle() async throws -> ServedStore {
        try await ServedStore(customers: 2, isNotifying: true, isAccelerated: true)
    }

    private static func receipt(_ served: ServedStore, _ query: String = "") async throws -> AppReceipt {
        let answer = try await served.call(.get, "/simulator/devices/0/receipt\(query)")
        let text = try #require(answer.body?["receipt"]?.string)
        return try ReceiptSigner.standard.open(try #require(Base64.decode(text)))
    }

    private static func products(_ served: ServedStore) async throws -> [String?] {
        try await receipt(served).inApp.map { $0.text(.productId) }
    }

    @Test func `has a consumable until it is finished`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/0"
        #expect(try await Self.products(served).isEmpty)
        let bought = try await served.call(.post, path + "/purchase", ["productId": "coins.100"])
        _ = try await served.call(.post, path + "/purchase", ["productId": "season"])
        await served.play(to: await served.store.now.advanced(byMilliseconds: 3 * Instant.millisecondsPerHour))
        #expect(Set(try await Self.products(served)) == ["coins.100", "season"])
        let payment = try #require(bought.body?["transaction"]?["payment"]?.integer)
        _ = try await served.call(.post, path + "/finish", ["payment": .integer(payment)])
        #expect(try await Self.products(served) == ["season"])
    }

    @Test func `has a restored purchase under the id that the queue has`() async throws {
        let served = try await Self.idle()
        let path = "/simulator/devices/0"
        let bought = try await served.call(.post, path + "/purchase", ["productId": "unlock"])
        let first = try #require(bought.body?["transaction"]?["transactionId"]?.string)
        let before = try #require(try await Self.receipt(served).inApp.first)
        #expect(before.text(.transactionId) == first)
        await served.play(to: await served.store.now.advanced(byMilliseconds: 90 * Instant.millisecondsPerMinute))
        let restored = try await served.call(.post, path + "/restore")
        let again = try #require(restored.body?["queue"]?.elements?.first)
        let row = try #require(try await Self.receipt(served).inApp.first)
        #expect(row.text(.transactionId) == again["transactionId"]?.string && row.text(.transactionId) != first)
        #expect(row.text(.originalTransactionId) == first)
        #expect(row.date(.inAppOriginalPurchaseDate) == before.date(.inAppOriginalPurchaseDate))
        let dates = try #require([before, row].map { $0.date(.purchaseDate) } as? [Instant])
        #expect(dates[1].milliseconds - dates[0].milliseconds == 90 * Instant.millisecondsPerMinute)
        let jws = try payload(again["signedTransactionInfo"]?.string)
        #expect(jws["transactionId"]?.string == again["transactionId"]?.string)
        #expect(jws["originalTransactionId"]?.string == first)
        await served.play(to: await served.store.now.advanced(byMilliseconds: Instant.millisecondsPerMinute))
        let refunded = try await served.call(
            .post, "/simulator/customers/0/refund", ["transactionId": .string(first)])
        #expect(refunded.status == 200)
        #expect(try await Self.receipt(served).inApp.first?.text(.cancellationDate)?.isEmpty == false)
    }

    /// The hash of the opaque value and the bundle id, with 16 bytes of the device before them.
    @Test func `is bound to the device that asks for it`() async throws {
        let served = try await Self.idle()
        let guid = "6f1c1b7e-52cf-4c4b-9a3d-6a4c7d2f9b10"
        let receipt = try await Self.receipt(served, "?guid=\(guid)")
        let bytes: [UInt8] = [
            0x6F, 0x1C, 0x1B, 0x7E, 0x52, 0xCF, 0x4C, 0x4B, 0x9A, 0x3D, 0x6A, 0x4C, 0x7D, 0x2F, 0x9B, 0x10,
        ]
        let bundleId: [UInt8] = [0x0C, 15] + Array("com.example.app".utf8)
        let opaque = try #require(receipt.attributes.octets(.opaque))
        #expect(opaque.count == 16)
        #expect(
            receipt.attributes.octets(.sha1Hash)
                == ReceiptSigner.deviceHash(guid: bytes, opaque: opaque, bundleIdOctets: bundleId))
        let answer = try await served.call(.get, "/simulator/devices/0/receipt")
        let own = try #require(answer.body?["deviceGUID"]?.string)
        #expect(own != guid && UUIDBytes(own) != nil)
    }

    @Test func `states the sandbox's values in the sandbox`() async throws {
        let receipt = try await Self.receipt(Self.idle())
        #expect(receipt.receiptType == "ProductionSandbox" && receipt.originalApplicationVersion == "1.0")
        #expect(receipt.originalPurchaseDate == Instant(iso8601: "2013-08-01T07:00:00Z"))
        #expect(receipt.appItemId == nil && receipt.expirationDate == nil)
    }

    @Test(arguments: ["?type=Xcode", "?expires=soon", "?guid=7", "?colour=red"])
    func `is refused with a reason`(_ query: String) async throws {
        let answer = try await Self.idle().call(.get, "/simulator/devices/0/receipt\(query)")
        #expect(answer.status == 400 && answer.body?["code"]?.string == "parameter_invalid")
    }
}

extension Range<Int> {
    fileprivate func asyncMap<Result>(_ transform: (Int) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for number in self { results.append(try await transform(number)) }
        return results
    }
}
