import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import FoundationEssentials
import HTTPTypes
import LedgerTesting
import Primitives
import Testing

@Suite struct `A transaction receipt of iOS 6` {
    private static func idle(
        _ environment: AppStoreModel.Environment = .sandbox, customers: Int = 2
    ) async throws -> ServedStore {
        try await ServedStore(
            customers: customers, environment: environment, isAccelerated: environment == .sandbox)
    }

    /// Buys a product, and returns the id of its transaction.
    private static func buy(_ served: ServedStore, _ product: String, customer: Int = 0) async throws -> String {
        let path = "/simulator/devices/\(customer)/purchase"
        let answer = try await served.call(.post, path, ["productId": .string(product)])
        return try #require(answer.body?["transaction"]?["transactionId"]?.string)
    }

    private static func act(_ served: ServedStore, _ name: String) async throws {
        #expect(try await served.call(.post, "/simulator/customers/0/\(name)").status == 200)
    }

    private static func play(_ served: ServedStore, minutes: Int64) async {
        await served.play(to: await served.store.now.advanced(byMilliseconds: minutes * Instant.millisecondsPerMinute))
    }

    private static func receipt(
        _ served: ServedStore, of id: String, customer: Int = 0, _ query: String = ""
    ) async throws -> String {
        let path = "/simulator/devices/\(customer)/transaction-receipt?transactionId=\(id)\(query)"
        return try #require(try await served.call(.get, path).body?["receipt"]?.string)
    }

    private static func verify(
        _ served: ServedStore, _ receipt: String, password: String? = nil, sendsPassword: Bool = true,
        path: String = "/verifyReceipt"
    ) async throws -> JSONView {
        var members = [JSONValue.Member("receipt-data", .string(receipt))]
        let secret = password ?? served.store.configuration.sharedSecret
        if sendsPassword { members.append(.init("password", .string(secret))) }
        let answer = try await served.call(.post, path, .object(members), token: "none")
        #expect(answer.status == 200)
        return try #require(answer.body)
    }

    private static func keys(_ value: JSONView?) -> Set<String> { Set((value?.members ?? []).map { "\($0.key)" }) }

    // MARK: - Answers

    @Test func `is answered with the newest purchase of an active subscription`() async throws {
        let served = try await Self.idle()
        let id = try await Self.buy(served, "pro.monthly")
        let receipt = try await Self.receipt(served, of: id)
        await Self.play(served, minutes: 6)
        let answer = try await Self.verify(served, receipt)
        #expect(
            Self.keys(answer) == [
                "status", "receipt", "latest_receipt_info", "latest_receipt", "auto_renew_status",
                "auto_renew_product_id",
            ])
        #expect(answer["status"]?.integer == 0 && answer["auto_renew_status"]?.integer == 1)
        #expect(answer["auto_renew_product_id"]?.string == "pro.monthly")
        let (sent, newest) = (answer["receipt"], answer["latest_receipt_info"])
        #expect(sent?["transaction_id"]?.string == id && newest?["original_transaction_id"]?.string == id)
        #expect(newest?["transaction_id"]?.string != id && newest?["purchase_date_ms"] != nil)
        #expect(newest?["purchase_date_ms"]?.string == sent?["expires_date"]?.string)
        #expect(newest?["bid"]?.string == "com.example.app")
        // The newest receipt states the newest purchase, and is answered, too.
        let again = try await Self.verify(served, try #require(answer["latest_receipt"]?.string))
        #expect(again["status"]?.integer == 0)
        #expect(again["receipt"]?["transaction_id"]?.string == newest?["transaction_id"]?.string)

        try await Self.act(served, "cancel")
        #expect(try await Self.verify(served, receipt)["auto_renew_status"]?.integer == 0)
    }

    @Test func `has status 21006 when the subscription is over`() async throws {
        let served = try await Self.idle()
        let receipt = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        try await Self.act(served, "cancel")
        await Self.play(served, minutes: 5)
        let answer = try await Self.verify(served, receipt)
        #expect(
            Self.keys(answer) == [
                "status", "receipt", "latest_expired_receipt_info", "auto_renew_status", "auto_renew_product_id",
                "expiration_intent", "is_in_billing_retry_period",
            ])
        #expect(answer["status"]?.integer == 21_006 && answer["auto_renew_status"]?.integer == 0)
        #expect(answer["expiration_intent"]?.string == "1")
        #expect(answer["is_in_billing_retry_period"]?.string == "0")
        let expired = answer["latest_expired_receipt_info"]
        #expect(expired?["transaction_id"]?.string == answer["receipt"]?["transaction_id"]?.string)

        try await Self.act(served, "resubscribe")
        #expect(try await Self.verify(served, receipt)["status"]?.integer == 0)
    }

    @Test func `has status 21006 while Apple tries to collect`() async throws {
        let served = try await Self.idle()
        let receipt = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        try await Self.act(served, "fail-billing")
        await Self.play(served, minutes: 5)
        let answer = try await Self.verify(served, receipt)
        #expect(answer["status"]?.integer == 21_006 && answer["auto_renew_status"]?.integer == 1)
        #expect(answer["expiration_intent"]?.string == "2")
        #expect(answer["is_in_billing_retry_period"]?.string == "1")
    }

    @Test func `states a refund since`() async throws {
        let served = try await Self.idle()
        let receipt = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        #expect(try await Self.verify(served, receipt)["receipt"]?["cancellation_date"] == nil)
        await Self.play(served, minutes: 1)
        try await Self.act(served, "refund")
        let answer = try await Self.verify(served, receipt)
        let now = await served.store.now.milliseconds
        for key in ["receipt", "latest_receipt_info"] as [StaticString] {
            #expect(answer[key]?["cancellation_date_ms"]?.string == "\(now)")
        }
    }

    @Test func `is answered alone for a single purchase, and to those without the secret`() async throws {
        let served = try await Self.idle()
        let unlock = try await Self.receipt(served, of: try await Self.buy(served, "unlock"))
        let answer = try await Self.verify(served, unlock)
        #expect(Self.keys(answer) == ["status", "receipt"] && answer["status"]?.integer == 0)
        #expect(answer["receipt"]?["expires_date"] == nil && answer["receipt"]?["quantity"]?.string == "1")
        let monthly = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        #expect(Self.keys(try await Self.verify(served, monthly, sendsPassword: false)) == ["status", "receipt"])
    }

    @Test(arguments: ["unlock", "pro.monthly"])
    func `states a restored purchase under the id and date of the restore`(_ product: String) async throws {
        let served = try await Self.idle()
        let first = try await Self.buy(served, product)
        await Self.play(served, minutes: 1)
        let restored = try await served.call(.post, "/simulator/devices/0/restore").body?["queue"]?.elements?.first
        let id = try #require(restored?["transactionId"]?.string)
        await Self.play(served, minutes: 1)
        let answer = try await Self.verify(served, try await Self.receipt(served, of: id))
        let stated = answer["receipt"]
        #expect(stated?["transaction_id"]?.string == id && stated?["original_transaction_id"]?.string == first)
        let start = try #require(stated?["original_purchase_date_ms"]?.string.flatMap { Int64($0) })
        #expect(stated?["purchase_date_ms"]?.string == "\(start + Instant.millisecondsPerMinute)")
        let old = try await Self.verify(served, try await Self.receipt(served, of: first))["receipt"]
        #expect(old?["transaction_id"]?.string == first && old?["purchase_date_ms"]?.string == "\(start)")
    }

    // MARK: - Refusals

    @Test func `is refused with any byte of its purchase changed`() async throws {
        let served = try await Self.idle()
        let receipt = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        let text = String(decoding: try #require(Base64.decode(receipt)), as: UTF8.self)
        let info = try #require(text.split(separator: "\"").first { $0.hasPrefix("ewo") })
        let bytes = try #require(Base64.decode(String(info)))
        func with(_ changed: [UInt8]) -> String {
            Base64.encode(Array(text.split(separator: info).joined(separator: Base64.encode(changed)).utf8))
        }
        #expect(try await Self.verify(served, with(bytes))["status"]?.integer == 0)
        #expect(bytes.count > 800)
        var accepted: [Int] = []
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            if try await Self.verify(served, with(changed))["status"]?.integer != 21_003 { accepted.append(index) }
        }
        #expect(accepted.isEmpty)
        #expect(try await Self.verify(served, with(bytes + [0x0A]))["status"]?.integer == 21_003)
    }

    /// The environment stands beside the purchase. Everything else in the list counts.
    @Test func `is refused with another signature, of another app and account, and with another secret`() async throws {
        let served = try await Self.idle()
        let receipt = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        #expect(try await Self.verify(served, receipt, password: "other")["status"]?.integer == 21_004)
        let text = String(decoding: try #require(Base64.decode(receipt)), as: UTF8.self)
        let signature = try #require(text.split(separator: "\"").first { $0.hasPrefix("A") })
        let bytes = try #require(Base64.decode(String(signature)))
        for index in [0, 1, 256, 257, 260, 261, bytes.count - 1] {
            var changed = bytes
            changed[index] ^= 1
            let list = text.split(separator: signature).joined(separator: Base64.encode(changed))
            let answer = try await Self.verify(served, Base64.encode(Array(list.utf8)))
            #expect(answer["status"]?.integer == 21_003, "byte \(index)")
        }
        for list in ["{}", "{\n}", "{\n\t\"signature\" = \"AA==\";\n}", text + "\n{}"] {
            let answer = try await Self.verify(served, Base64.encode(Array(list.utf8)))
            #expect(answer["status"]?.integer == 21_002, "\(list)")
        }
        let larger = try await Self.idle(customers: 9)
        let id = try await Self.buy(larger, "pro.monthly", customer: 8)
        let stranger = try await Self.receipt(larger, of: id, customer: 8)
        #expect(try await Self.verify(served, stranger)["status"]?.integer == 21_010)
    }

    @Test(arguments: [
        ("", 400), ("?transactionId=1", 409), ("?transactionId=1&environment=Sandbox", 400),
        ("?transactionId=1&guid=2", 400),
    ])
    func `is of a transaction that the device has`(_ query: String, _ status: Int) async throws {
        let answer = try await Self.idle().call(.get, "/simulator/devices/0/transaction-receipt\(query)")
        #expect(answer.status == status && answer.body?["message"]?.string?.isEmpty == false)
    }

    // MARK: - Environments

    private static let endpoints: [(AppStoreModel.Environment, String, Int64)] = [
        (.sandbox, "/verifyReceipt", 0), (.sandbox, "/sandbox/verifyReceipt", 0),
        (.sandbox, "/production/verifyReceipt", 21_007), (.production, "/verifyReceipt", 0),
        (.production, "/sandbox/verifyReceipt", 21_008), (.production, "/production/verifyReceipt", 0),
    ]

    @Test(arguments: endpoints)
    func `is answered at the URL of its environment, whatever it names`(
        _ environment: AppStoreModel.Environment, _ path: String, _ status: Int64
    ) async throws {
        let served = try await Self.idle(environment)
        let id = try await Self.buy(served, "unlock")
        for query in ["", "&environment=none"] {
            let receipt = try await Self.receipt(served, of: id, query)
            let text = String(decoding: try #require(Base64.decode(receipt)), as: UTF8.self)
            #expect(text.contains("\"environment\" = \"Sandbox\";") == (environment == .sandbox && query.isEmpty))
            let answer = try await Self.verify(served, receipt, path: path)
            #expect(answer["status"]?.integer == status)
            #expect((answer["receipt"] != nil) == (status == 0))
        }
        // So is the receipt of the app.
        let app = try await served.call(.get, "/simulator/devices/0/receipt").body?["receipt"]?.string
        #expect(try await Self.verify(served, try #require(app), path: path)["status"]?.integer == status)
    }

    // MARK: - Beside Apple's

    private static func recorded(_ file: String) throws -> JSONView {
        let path = try #require(TestEnvironment.fixtures) + "/\(file)"
        return try JSONDocument(parsing: Array(try #require(FileManager.default.contents(atPath: path)))).root
    }

    /// The form of a text: its digits as 9, a number as one of them.
    private static func form(_ text: String?) -> String {
        let digits = String((text ?? "").map { $0.isNumber ? "9" : $0 })
        return digits.allSatisfy { $0 == "9" } ? "9" : digits
    }

    @Test(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
    func `states what Apple states about a subscription in the sandbox, in the same form`() async throws {
        let served = try await Self.idle()
        let receipt = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        let ours = try await Self.verify(served, receipt)["receipt"]
        let theirs = try Self.recorded("verify-receipt-pairs/mbaasy-transaction.json")
        // It was signed in 2015, before introductory prices.
        #expect(Self.keys(ours).subtracting(Self.keys(theirs)) == ["is_trial_period", "is_in_intro_offer_period"])
        #expect(Self.keys(theirs).isSubset(of: Self.keys(ours)))
        for member in theirs.members {
            let key = "\(member.key)"
            let value = ours?.members.first { "\($0.key)" == key }?.value.string
            guard key.hasSuffix("_id") || key.contains("date") || key == "quantity", key != "product_id" else {
                continue
            }
            #expect(Self.form(value) == Self.form(member.value.string), "\(key)")
        }
    }

    @Test(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
    func `is over in the form in which Apple's are`() async throws {
        let served = try await Self.idle()
        let receipt = try await Self.receipt(served, of: try await Self.buy(served, "pro.monthly"))
        try await Self.act(served, "cancel")
        await Self.play(served, minutes: 5)
        let ours = try await Self.verify(served, receipt)
        let theirs = try Self.recorded("verify-receipt/nov-autorenew_subscription_expired.json")
        #expect(ours["status"]?.integer == theirs["status"]?.integer)
        #expect(ours["environment"] == nil && theirs["environment"] == nil)
        let pairs = [
            (ours["receipt"], theirs["receipt"]), (ours["latest_expired_receipt_info"], theirs["latest_receipt_info"]),
        ]
        for (own, apples) in pairs {
            #expect(own?.isObject == true && apples?.isObject == true)
            #expect(Self.keys(apples).isSubset(of: Self.keys(own)))
            #expect(own?.members.allSatisfy { $0.value.string != nil } == true)
        }
    }
}
