import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import LedgerTesting
import Primitives
import Testing

struct `Receipts of the simulated App Store beside OpenSSL` {
    @Test func `each is verified by openssl cms, and states the purchases of its account`() throws {
        var store = LiveStore(Simulation(seed: TestEnvironment.seed, customers: 200))
        _ = store.advance(to: store.simulation.end)
        let accounts = try (0..<400).map { try #require(store.account(ofCustomer: $0)) }
        let receipts = try accounts.map { account in
            let purchases = store.purchases(of: account) { _, _ in false }
            return try ReceiptSigner.standard.sign(purchases.receipt(createdAt: store.now))
        }
        let judge = try OpenSSLJudge(receipts, root: ReceiptSigner.standard.rootCertificate)
        var compared = 0
        for (number, account) in accounts.enumerated() {
            try #require(judge.judgements[number] != "refused", "customer \(number), seed \(TestEnvironment.seed)")
            let receipt = try AppReceipt(asn1: try judge.content(number))
            #expect(receipt.receiptType == "Production" && receipt.bundleId == "com.example.app")
            #expect(receipt.receiptCreationDate == store.now)
            let (rows, unreadable) = receipt.purchases
            #expect(unreadable == 0)
            try compare(rows, with: store.record(of: account).transactions, customer: number)
            compared += rows.count
        }
        #expect(compared > 1_000)
    }

    /// Compares rows with the transactions that the Server API states. A restore changes the id and date of what was
    /// bought once; some receipts omit subscriptions that have lapsed.
    private func compare(_ rows: [InAppPurchase], with transactions: [RecordedTransaction], customer: Int) throws {
        let subscriptions = rows.filter { $0.type == .autoRenewable }
        let expected = transactions.filter { $0.type == .autoRenewable }
        let byId = Dictionary(uniqueKeysWithValues: expected.map { ($0.transactionId, $0) })
        let stated = Set(subscriptions.map(\.originalTransactionId))
        #expect(
            Set(subscriptions.map(\.transactionId))
                == Set(expected.filter { stated.contains($0.originalTransactionId) }.map(\.transactionId)),
            "customer \(customer), seed \(TestEnvironment.seed)")
        for row in subscriptions {
            let transaction = try #require(byId[row.transactionId])
            let payload = try JSONDocument(parsing: transaction.payload).root
            #expect(row.originalTransactionId == transaction.originalTransactionId)
            #expect(row.productId == transaction.productId)
            #expect(row.webOrderLineItemId == payload["webOrderLineItemId"]?.string)
            #expect(row.purchaseDate == transaction.purchaseDate.wholeSecond)
            #expect(row.expiresDate?.milliseconds == payload["expiresDate"]?.integer.map { $0 / 1_000 * 1_000 })
            if payload["isUpgraded"] == nil {
                #expect(row.cancellationDate == transaction.revocationDate?.wholeSecond)
            }
        }
        func once(_ ids: [(String, String)]) -> [String] { ids.map { "\($0) \($1)" }.sorted() }
        #expect(
            once(rows.filter { $0.type != .autoRenewable }.map { ($0.originalTransactionId, $0.productId) })
                == once(
                    transactions.filter { $0.type != .autoRenewable }.map { ($0.originalTransactionId, $0.productId) }))
    }
}

extension Instant {
    fileprivate var wholeSecond: Instant { Instant(milliseconds: milliseconds / 1_000 * 1_000) }
}
