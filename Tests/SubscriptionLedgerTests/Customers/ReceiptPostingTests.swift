import AppStoreModel
import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

struct `Posting a receipt` {
    /// A receipt with purchases, each by its transactionId and originalTransactionId.
    private func receipt(
        _ purchases: [(id: String, original: String)], bundleId: String = Purchase.bundleId,
        created: String = "11:00:00"
    ) throws -> String {
        let inApp = purchases.map { id, original in
            [
                ReceiptAttribute(.transactionId, .text(id)), ReceiptAttribute(.originalTransactionId, .text(original)),
                ReceiptAttribute(.productId, .text("pro")), ReceiptAttribute(.productType, .integer(3)),
                ReceiptAttribute(.purchaseDate, .text("2026-01-15T10:00:00Z")),
                ReceiptAttribute(.expiresDate, .text("2026-02-15T10:00:00Z")),
            ]
        }
        let attributes = [
            ReceiptAttribute(.receiptType, .text("Production")), ReceiptAttribute(.bundleId, .text(bundleId)),
            ReceiptAttribute(.receiptCreationDate, .text("2026-01-15T\(created)Z")),
        ]
        return Base64.encode(try ReceiptSigner.standard.sign(AppReceipt(attributes: attributes, inApp: inApp)))
    }

    private func post(_ shop: TestLedger, _ receipt: String, customerId: String? = "alice") async throws
        -> PostingAnswer<SubscriptionRow>
    {
        try await shop.ledger.post(
            TransactionPosting(signedTransactions: [], receipt: receipt, customerId: customerId), by: .backend)
    }

    @Test func `every transaction of it is finished and belongs to the customer`() async throws {
        let shop = try TestLedger()
        let answer = try await post(shop, receipt([("11", "1"), ("12", "1"), ("2", "2")]))
        #expect(answer.finish.map(\.transactionId).sorted() == ["11", "12", "2"])
        #expect(answer.duplicates.isEmpty && answer.refused.isEmpty)
        let customer = try shop.customer("alice")
        #expect(customer["entitled"]?.bool == true && customer.purchases == ["1", "2"])
        for row in try #require(customer["subscriptions"]?.elements) {
            #expect(row["ownership"]?.string == "PURCHASED")
            #expect(row["inferred"]?.elements?.compactMap(\.string) == ["ownership"])
        }
        #expect(try shop.events(.receiptVerified).count == 1)
        #expect(try shop.transitions().contains { $0.cause == "receipt" })
        #expect(try shop.reader.evidence(at: 0)?.mediaType == "application/pkcs7-mime")
    }

    @Test func `the same receipt again is a duplicate, also in another container`() async throws {
        let shop = try TestLedger()
        let first = try receipt([("11", "1")])
        _ = try await post(shop, first)
        let size = try shop.events().count
        let longer = Base64.encode(try #require(Base64.decode(first)) + [0, 0, 0])
        for again in [first, longer] {
            let answer = try await post(shop, again)
            #expect(answer.finish == answer.duplicates && answer.finish.map(\.transactionId) == ["11"])
        }
        #expect(try shop.events().count == size)
    }

    @Test func `the purchases of somebody else in it are refused by name`() async throws {
        let shop = try TestLedger()
        _ = try await post(shop, receipt([("11", "1")]))
        let answer = try await post(shop, receipt([("11", "1"), ("2", "2")], created: "11:30:00"), customerId: "bob")
        #expect(answer.finish.map(\.transactionId).sorted() == ["11", "2"])
        #expect(answer.refused.map(\.code) == ["link_refused"] && answer.refused.map(\.part) == ["receipt"])
        #expect(try shop.purchases(of: "bob") == ["2"])
    }

    private static let token = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a"

    /// Appends a signed transaction as a notification would bring it.
    private func deliver(_ purchase: Purchase, to shop: TestLedger) async throws {
        let checked = await shop.ledger.check(Array(purchase.text.utf8), source: .http)
        _ = try await shop.ledger.append([checked], source: .http)
    }

    @Test(arguments: [true, false])
    func `its customer keeps a purchase whose token Apple signs before or after`(_ isSignedFirst: Bool) async throws {
        let shop = try TestLedger(secrets: ["s"])
        let signed = Purchase("1", token: Self.token)
        if isSignedFirst { try await deliver(signed, to: shop) }
        #expect(try await post(shop, receipt([("11", "1")])).refused.isEmpty)
        if !isSignedFirst { try await deliver(signed, to: shop) }
        #expect(try shop.purchases(of: "alice") == ["1"] && shop.purchases(of: Self.token) == ["1"])
        // Renewals and other purchases with the token follow.
        try await deliver(Purchase("1", number: 2, token: Self.token), to: shop)
        try await deliver(Purchase("5", token: Self.token), to: shop)
        #expect(try shop.purchases(of: "alice") == ["1", "5"])
        #expect(try shop.events(.tokenMapped).count == 1)
    }

    @Test func `it maps no token of another purchase, of a family member or of somebody else`() async throws {
        let shop = try TestLedger(secrets: ["s"])
        let (other, third) = ("0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b", "0c0c0c0c-0c0c-4c0c-8c0c-0c0c0c0c0c0c")
        _ = try await post(shop, receipt([("11", "1"), ("21", "2")]))
        // A later purchase of the same subscription may be that of another customer of the app.
        try await deliver(Purchase("1", number: 2, token: Self.token), to: shop)
        try await deliver(Purchase("2", token: other, isFamilyShared: true), to: shop)
        #expect(try shop.events(.tokenMapped).isEmpty)
        // A token that another customer has stays with that one.
        try await shop.post(Purchase("3", token: third), customerId: "bob")
        _ = try await post(shop, receipt([("41", "4")], created: "11:40:00"))
        try await deliver(Purchase("4", token: third), to: shop)
        #expect(try shop.purchases(of: "bob") == ["3", "4"])
    }

    @Test func `a purchase that two customers share maps its token to neither`() async throws {
        let shop = try TestLedger(claimConflict: .share, secrets: ["s"])
        for customer in ["alice", "bob"] {
            #expect(try await post(shop, receipt([("11", "1")]), customerId: customer).refused.isEmpty)
        }
        try await deliver(Purchase("1", token: Self.token), to: shop)
        #expect(try shop.events(.tokenMapped).isEmpty)
    }

    @Test func `from the public key of an app it maps no token`() async throws {
        let shop = try TestLedger(secrets: ["s"])
        var posting = TransactionPosting(
            signedTransactions: [], receipt: try receipt([("11", "1")]), customerId: "alice")
        posting.isVouchedFor = true
        _ = try await shop.ledger.post(posting, by: .app)
        try await deliver(Purchase("1", token: Self.token), to: shop)
        #expect(try shop.events(.tokenMapped).isEmpty && shop.purchases(of: "alice") == [])
    }

    @Test func `a refused receipt is to be refreshed once, and not again within an hour`() async throws {
        let shop = try TestLedger()
        func advice(_ receipt: String, _ customer: String) async throws -> [String] {
            try await post(shop, receipt, customerId: customer).refused.map(\.advice)
        }
        let foreign = try receipt([("11", "1")], bundleId: "com.example.other")
        #expect(try await advice(foreign, "alice") == ["refreshReceiptOnce"])
        #expect(try await advice("no receipt", "alice") == ["none"])
        #expect(try await advice(foreign, "bob") == ["refreshReceiptOnce"])
        // Once, however often it comes. What is no receipt at all is not kept.
        #expect(try shop.ledger.quarantine.size().items == 1)
        #expect(try shop.events().isEmpty)
    }

    @Test(arguments: [
        ("", false), ("hello", false), ("hell", false), ("a.b.c", false), ("{}", true),
        (Base64.encode([0x30, 0x82, 0x00, 0x01, 0x05]), true),
    ])
    func `what is no container is not quarantined`(_ receipt: String, _ isContainer: Bool) async throws {
        let shop = try TestLedger()
        #expect(try await post(shop, receipt).refused.map(\.code) == ["cms_malformed"])
        #expect(try shop.ledger.quarantine.size().items == (isContainer ? 1 : 0))
    }

    @Test func `a receipt and a signed transaction of one purchase are one purchase`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        _ = try await post(shop, receipt([("11", "1")]))
        let rows = try #require(shop.customer("alice")["subscriptions"]?.elements)
        #expect(rows.count == 1 && rows[0]["inferred"]?.elements?.isEmpty == true)
    }

    @Test func `the signatures of receipts are audited, and their evidence comes back`() async throws {
        let shop = try TestLedger()
        let text = try receipt([("11", "1")])
        _ = try await post(shop, text)
        var options = LedgerAudit.Options()
        options.signatures = shop.ledger.configuration.trust
        shop.close()
        let report = try await LedgerAudit(Ledger.Configuration(folder: shop.folder) { .latest }, options).run { _ in }
        #expect(report.firstBad == nil && report.signatures == 1)
    }
}
