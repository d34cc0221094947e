import AppStoreModel
import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `An app that became free` {
    private static func text(_ paidUntil: String) -> String {
        "version: 1\nbundleId: com.example.app\npaidUntil: {\(paidUntil), entitlements: [pro]}"
    }

    private static let byDate = text("date: 2025-06-01")

    private static func shop(_ text: String = byDate) async throws -> TestLedger {
        let shop = try TestLedger()
        try await shop.apply(text)
        return shop
    }

    @discardableResult
    private static func post(
        _ text: String, to shop: TestLedger, customerId: String? = "alice", handle: String? = nil,
        by caller: Caller = .backend, environment: Environment = .production
    ) async throws -> JSONView {
        var posting = TransactionPosting(
            signedTransactions: [], signedAppTransaction: text, customerId: customerId, handle: handle)
        posting.isVouchedFor = caller.role == .app
        return try await shop.ledger.post(posting, by: caller, scope: CustomerScope(environment: environment)).answer
    }

    @Test func `entitles those who bought it before`() async throws {
        let shop = try await Self.shop()
        let size = try shop.reader.size()
        let answer = try await Self.post(Purchase.appTransaction(bought: "2025-05-31"), to: shop)
        #expect(answer["entitled"]?.bool == true && answer["subscriptions"]?.elements?.isEmpty == true)
        let account = #"{"environment":"Production","bundleId":"com.example.app","appTransactionId":"704"}"#
        #expect(answer["entitlements"]?.text == #"[{"id":"pro","until":null,"because":[\#(account)]}]"#)
        #expect(try shop.entitlements(of: "alice", asOf: try #require(Instant(iso8601: "2025-05-30"))) == [])
        #expect(try shop.entitlements(of: "alice", knownAt: size) == [])
        #expect(try shop.entitlements(of: "bob") == [])
        shop.close()
        try shop.open()
        #expect(try shop.entitlements(of: "alice") == ["pro"])
    }

    struct Sale: Sendable {
        let paidUntil: String
        var bought: String?
        var version: String?
        let isPaid: Bool
    }

    @Test(arguments: [
        Sale(paidUntil: "date: 2025-06-01", bought: "2025-05-31", isPaid: true),
        Sale(paidUntil: "date: 2025-06-01", bought: "2025-06-01", isPaid: false),
        // The date decides where the catalogue has one.
        Sale(paidUntil: "date: 2025-06-01, version: \"3.0\"", bought: "2025-06-01", version: "1.0", isPaid: false),
        Sale(paidUntil: "date: 2025-06-01", version: "1.0", isPaid: false),
        Sale(paidUntil: "version: \"3.0\"", bought: "2025-06-01", version: "2.10", isPaid: true),
        Sale(paidUntil: "version: \"3.0\"", bought: "2025-06-01", version: "2.9.9", isPaid: true),
        Sale(paidUntil: "version: \"3.0\"", bought: "2025-06-01", version: "3", isPaid: false),
        Sale(paidUntil: "version: \"3.0\"", bought: "2025-06-01", version: "3.0.1", isPaid: false),
        Sale(paidUntil: "version: \"3.0\"", bought: "2025-06-01", version: "10", isPaid: false),
        Sale(paidUntil: "version: \"3.0\"", bought: "2025-06-01", version: "2.0b", isPaid: false),
        Sale(paidUntil: "version: \"3.0\"", bought: "2025-06-01", isPaid: false),
        Sale(paidUntil: "version: \"3.0\"", version: "2.0", isPaid: false),
    ])
    func `asks the date of the catalogue, else its version`(_ sale: Sale) async throws {
        let shop = try await Self.shop(Self.text(sale.paidUntil))
        let answer = try await Self.post(
            Purchase.appTransaction(bought: sale.bought, version: sale.version), to: shop)
        #expect(answer["entitled"]?.bool == sale.isPaid)
    }

    @Test func `entitles nobody in Sandbox`() async throws {
        let shop = try await Self.shop()
        let text = Purchase.appTransaction(bought: "2025-05-31", environment: .sandbox)
        let answer = try await Self.post(text, to: shop, environment: .sandbox)
        #expect(answer["entitled"]?.bool == false)
    }

    @Test func `belongs to one of two known customers, as the rule says`() async throws {
        let shop = try await Self.shop()
        for id in ["alice", "bob"] {
            try await Self.post(Purchase.appTransaction(bought: "2025-05-31"), to: shop, customerId: id)
        }
        // The same posting again claims nothing new.
        try await Self.post(Purchase.appTransaction(bought: "2025-05-31"), to: shop, customerId: "alice")
        #expect(try shop.events(.customerLinked).count == 2)
        func owners() throws -> [String] { try ["alice", "bob"].filter { try !shop.entitlements(of: $0).isEmpty } }
        #expect(try owners() == ["alice"])
        try await shop.activate { $0.customers.claimConflict = .move }
        #expect(try owners() == ["bob"])
        try await shop.activate { $0.customers.claimConflict = .share }
        #expect(try owners() == ["alice", "bob"])
    }

    @Test func `follows an anonymous customer who is identified, and the second device of an account`() async throws {
        let shop = try await Self.shop()
        let text = Purchase.appTransaction(bought: "2025-05-31")
        let phone = try #require(
            try await Self.post(text, to: shop, customerId: nil, by: .app)["handle"]?.string)
        #expect(try await Self.post(text, to: shop, customerId: nil, by: .app)["handle"]?.string == phone)
        #expect(try shop.customer(phone)["entitled"]?.bool == true)
        _ = try await shop.ledger.identify("alice", handle: phone, by: .backend)
        #expect(try shop.entitlements(of: "alice") == ["pro"])
        // A known customer keeps what an anonymous one posts later.
        #expect(try await Self.post(text, to: shop, customerId: nil, by: .app)["entitled"]?.bool == false)
        #expect(try shop.entitlements(of: "alice") == ["pro"])
    }

    @Test func `tells an app about the download that it posted, for a customer whom its token names`() async throws {
        let shop = try await Self.shop()
        let answer = try await Self.post(
            Purchase.appTransaction(bought: "2025-05-31"), to: shop, customerId: "carol", by: .app)
        #expect(answer["entitlements"]?.elements?.compactMap { $0["id"]?.string } == ["pro"])
        #expect(try shop.entitlements(of: "carol") == ["pro"])
        // What another device posted is not in the answer.
        let other = try await shop.post(Purchase("1"), customerId: "carol", by: .app).answer
        #expect(other["entitlements"]?.elements?.isEmpty == true)
    }

    /// A receipt with the first download alone.
    private static func receipt(
        bought: String, version: String = "1.9", expires: String? = nil, created: String = "2026-01-15"
    ) throws -> TransactionPosting {
        var attributes = [
            ReceiptAttribute(.receiptType, .text("ProductionVPP")),
            ReceiptAttribute(.bundleId, .text(Purchase.bundleId)),
            ReceiptAttribute(.receiptCreationDate, .text("\(created)T11:00:00Z")),
            ReceiptAttribute(.originalPurchaseDate, .text(bought)),
            ReceiptAttribute(.originalApplicationVersion, .text(version)),
        ]
        if let expires { attributes.append(ReceiptAttribute(.expirationDate, .text(expires))) }
        let signed = try ReceiptSigner.standard.sign(AppReceipt(attributes: attributes))
        return TransactionPosting(signedTransactions: [], receipt: Base64.encode(signed))
    }

    @Test func `entitles those whose receipt states it, with one receipt after the other`() async throws {
        let shop = try await Self.shop()
        var posting = try Self.receipt(bought: "2025-05-31T10:00:00Z")
        posting.customerId = "alice"
        let answer = try await shop.ledger.post(posting, by: .backend).answer
        let account = """
            {"environment":"Production","bundleId":"com.example.app","appTransactionId":null,\
            "originalPurchaseDate":"2025-05-31T10:00:00.000Z","originalApplicationVersion":"1.9"}
            """
        #expect(answer["entitlements"]?.text == #"[{"id":"pro","until":null,"because":[\#(account)]}]"#)
        posting.receipt = try Self.receipt(bought: "2025-05-31T10:00:00Z", created: "2026-01-14").receipt
        _ = try await shop.ledger.post(posting, by: .backend)
        #expect(try shop.events(.customerLinked).count == 1)
        shop.close()
        try shop.open()
        #expect(try shop.entitlements(of: "alice") == ["pro"])
        #expect(try shop.entitlements(of: "bob") == [])
    }

    @Test func `entitles everybody with the same first download, since it names no account`() async throws {
        let shop = try await Self.shop()
        for id in ["alice", "bob"] {
            var posting = try Self.receipt(bought: "2025-05-31T10:00:00Z")
            posting.customerId = id
            _ = try await shop.ledger.post(posting, by: .backend)
        }
        #expect(try ["alice", "bob"].map { try shop.entitlements(of: $0) } == [["pro"], ["pro"]])
    }

    @Test func `entitles until an organisation takes the app back, as the newest receipt says`() async throws {
        let shop = try await Self.shop()
        func post(expires: String?, created: String) async throws -> JSONView {
            var posting = try Self.receipt(bought: "2025-05-31T10:00:00Z", expires: expires, created: created)
            posting.customerId = "alice"
            return try await shop.ledger.post(posting, by: .backend).answer
        }
        let first = try await post(expires: "2026-01-20T00:00:00Z", created: "2026-01-14")
        #expect(first["entitlements"]?.elements?.first?["until"]?.string == "2026-01-20T00:00:00.000Z")
        func entitlements(at text: String) throws -> [String] {
            try shop.entitlements(of: "alice", asOf: try #require(Instant(iso8601: text)))
        }
        #expect(try entitlements(at: "2026-01-19") == ["pro"] && entitlements(at: "2026-01-20") == [])
        _ = try await post(expires: nil, created: "2026-01-15")
        #expect(try entitlements(at: "2026-01-20") == ["pro"])
    }

    @Test func `names the Apple account whose purchases used an introductory offer`() async throws {
        let shop = try TestLedger()
        var trial = Purchase("1", account: "704")
        (trial.group, trial.offerType) = ("g", 1)
        try await shop.post(trial, customerId: "bob")
        func reasons() throws -> [String?] {
            try shop.reader.offers(forCustomer: "alice", product: "pro", AsOfQuery(asOf: TestLedger.now)).json.view[
                "offers"]?.elements?.map { $0["reason"]?.string } ?? []
        }
        #expect(try reasons() == ["groupUnknown"])
        try await Self.post(Purchase.appTransaction(), to: shop)
        #expect(try reasons() == ["consumed"])
    }
}
