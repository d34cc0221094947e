import AppStoreModel
import AppStoreSimulation
import FoundationEssentials
import LedgerTesting
import Primitives
import Testing

struct `Transaction receipts of the simulated App Store beside OpenSSL` {
    /// Returns the opinion of OpenSSL about each receipt.
    private static func judge(_ files: [String]) throws -> [JSONView] {
        try Python.lines(Python.path(of: "transaction_receipts.py", beside: #filePath), files).map {
            try JSONDocument(parsing: Array($0.utf8)).root
        }
    }

    private static func judge(_ receipts: [[UInt8]]) throws -> [JSONView] {
        let folder = try TemporaryFolder()
        let files = receipts.indices.map { "\(folder.path)/\($0).b64" }
        for (file, receipt) in zip(files, receipts) { try File.write(Array(Base64.encode(receipt).utf8), to: file) }
        return try judge(files)
    }

    private static func keys(_ value: JSONView?) -> Set<String> { Set((value?.members ?? []).map { "\($0.key)" }) }

    @Test func `each is authentic, and states its transaction`() throws {
        var store = LiveStore(Simulation(seed: TestEnvironment.seed, customers: 12))
        _ = store.advance(to: store.simulation.end)
        var (receipts, payloads): ([[UInt8]], [JSONView]) = ([], [])
        for number in 0..<24 {
            let account = try #require(store.account(ofCustomer: number))
            for transaction in store.record(of: account).transactions where transaction.purchaseDate <= store.now {
                let receipt = try #require(store.transactionReceipt(of: transaction.transactionId, on: account))
                receipts.append(try ReceiptSigner.standard.sign(receipt))
                payloads.append(try JSONDocument(parsing: transaction.payload).root)
            }
        }
        #expect(receipts.count > 60)
        let leaf = Base64.encode(ReceiptSigner.standard.certificates[0])
        for (judgement, payload) in zip(try Self.judge(receipts), payloads) {
            #expect(judgement["isAuthentic"]?.bool == true && judgement["version"]?.integer == 3)
            #expect(judgement["certificate"]?.string == leaf && judgement["environment"]?.isNull == true)
            #expect(judgement["pod"]?.string == "100" && judgement["signingStatus"]?.string == "0")
            try compare(try #require(judgement["purchase"]), with: payload)
        }
    }

    /// Compares a purchase with the transaction as the Server API states it.
    private func compare(_ purchase: JSONView, with transaction: JSONView) throws {
        for (ours, theirs) in [
            ("transaction-id", "transactionId"), ("original-transaction-id", "originalTransactionId"),
            ("product-id", "productId"), ("bid", "bundleId"), ("web-order-line-item-id", "webOrderLineItemId"),
        ] as [(StaticString, StaticString)] {
            #expect(purchase[ours]?.string == transaction[theirs]?.string, "\(ours)")
        }
        for (ours, theirs) in [
            ("purchase-date-ms", "purchaseDate"), ("original-purchase-date-ms", "originalPurchaseDate"),
            ("expires-date", "expiresDate"), ("quantity", "quantity"),
        ] as [(StaticString, StaticString)] {
            #expect(purchase[ours]?.string == transaction[theirs]?.integer.map { "\($0)" }, "\(ours)")
        }
        let isTrial = transaction["offerDiscountType"]?.string == "FREE_TRIAL"
        #expect(purchase["is-trial-period"].map { $0.string == "true" } ?? false == isTrial)
    }

    @Test func `one with another purchase is not authentic`() throws {
        var store = LiveStore(Simulation(seed: TestEnvironment.seed, customers: 1))
        _ = store.advance(to: store.simulation.end)
        let account = try #require(store.account(ofCustomer: 0))
        let id = try #require(store.record(of: account).transactions.first?.transactionId)
        let receipt = try #require(store.transactionReceipt(of: id, on: account))
        let signed = String(decoding: try ReceiptSigner.standard.sign(receipt), as: UTF8.self)
        let info = receipt.purchaseInfo.bytes
        var changed = info
        changed[info.count / 2] ^= 1
        let parts = signed.split(separator: Base64.encode(info))
        #expect(parts.count == 2)
        let other = Array(parts.joined(separator: Base64.encode(changed)).utf8)
        #expect(try Self.judge([Array(signed.utf8), other]).map { $0["isAuthentic"]?.bool } == [true, false])
    }

    /// Shows that the judge reads the layout as Apple writes it.
    @Test(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
    func `those of Apple are authentic in the same layout, with the same entries`() throws {
        let folder = try #require(TestEnvironment.fixtures) + "/receipts-ios6"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix("asl-") }
        let judgements = try Self.judge(files.map { "\(folder)/\($0)" })
        #expect(judgements.count == 4)
        var configuration = StoreConfiguration()
        configuration.environment = .sandbox
        configuration.isAccelerated = true
        var store = LiveStore(Simulation(seed: TestEnvironment.seed, customers: 1, store: configuration))
        let account = try #require(store.account(ofCustomer: 0))
        let id = try #require(store.pay(Payment("pro.monthly"), on: account)?.transactionId)
        let receipt = try #require(store.transactionReceipt(of: id, on: account))
        let ours = try #require(try Self.judge([try ReceiptSigner.standard.sign(receipt)]).first)
        #expect(ours["environment"]?.string == "Sandbox")
        let keys = Self.keys(ours["purchase"])
        for judgement in judgements {
            #expect(judgement["isAuthentic"]?.bool == true && judgement["environment"]?.string == "Sandbox")
            #expect(Self.keys(judgement["purchase"]).isSubset(of: keys))
        }
    }
}
