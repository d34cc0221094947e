import AppStoreModel
import AppStoreVerification
import FoundationEssentials
import LedgerTesting
import Primitives
import Testing

/// Receipts of the real App Store, and of a test authority that nobody here made, with fixed outcomes.
@Suite(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
struct `Receipts in the fixtures` {
    /// The roots in the folder of certificates, by the prefix of the receipts that need them.
    private static let roots = [
        "testca-receipt-expired": "testca-receipt-expired-root.der", "testca-": "testca-receipt-root.der",
        "xcode-": "StoreKitTestCertificate.cer",
    ]

    /// The codes of the receipts that are refused. All others are accepted.
    private static let refused = ["testca-receipt-no-type.der": "receipt_type_missing"]

    @Test func `every receipt has the outcome and the fields that its entry names`() async throws {
        var checked = 0
        for entry in try Fixtures.entries(kind: "app-receipt-pkcs7") {
            let file = try #require(entry["file"]?.string)
            let name = String(file.split(separator: "/").last ?? "")
            let result = await Self.verify(
                try Fixtures.bytes(file),
                root: Self.roots.filter { name.hasPrefix($0.key) }.max { $0.key < $1.key }?.value)
            #expect(result.refusal?.code.rawValue == Self.refused[name], "\(file): \(result.refusal.debugDescription)")
            guard case .receipt(let verified)? = try? result.get() else { continue }
            try Self.expect(verified.receipt.payload, equals: try #require(entry["measured"]), file)
            checked += 1
        }
        #expect(checked == 20)
        print("receipts in the fixtures: \(checked) accepted")
    }

    @Test func `receipts of Xcode are refused without their certificate, and those of iOS 6 are only tokens`()
        async throws
    {
        for entry in try Fixtures.entries(kind: "app-receipt-pkcs7") where entry["environment"]?.string == "Xcode" {
            let bytes = try Fixtures.bytes(try #require(entry["file"]?.string))
            #expect(
                await Self.verify(bytes, root: nil, environments: [.production]).refusal?.code == .environmentRefused)
            #expect(await Self.verify(bytes, root: nil).refusal?.code == .environmentRefused)
            #expect(await Self.verify(bytes, root: "testca-receipt-root.der").refusal?.code == .environmentRefused)
        }
        let folder = try FileManager.default.contentsOfDirectory(
            atPath: "\(try #require(TestEnvironment.fixtures))/receipts-ios6")
        #expect(folder.count == 5)
        for file in folder {
            let result = await Self.verify(try Fixtures.bytes("receipts-ios6/\(file)"), root: nil)
            #expect(result.refusal?.code == .needsVerifyReceipt, "\(file)")
        }
    }

    /// The receipts whose answers by Apple, or decoded forms by another reader, are recorded.
    @Test(arguments: [
        (
            "receipts-pkcs7/griddiary-auto_renewable_receipt.b64",
            "verify-receipt-pairs/griddiary-auto_renewable_receipt-1.json"
        ),
        ("receipts-pkcs7/griddiary-receipt.b64", "verify-receipt-pairs/griddiary-receipt-1.json"),
        ("receipts-pkcs7/ios-mbaasy-2015-unified.b64", "verify-receipt-pairs/mbaasy-unified.json"),
        ("receipts-pkcs7/ios-revenuecat-sampleapp-2020.b64", "verify-receipt/revenuecat-verifyReceiptSample1.json"),
    ])
    func `the purchases in a receipt equal those in the JSON of Apple`(_ receipt: String, _ json: String) async throws {
        guard case .receipt(let verified) = try await Self.verify(try Fixtures.bytes(receipt), root: nil).get() else {
            Issue.record("\(receipt) is no receipt")
            return
        }
        let document = try JSONDocument(parsing: Fixtures.bytes(json)).root
        let stated = try #require((document["receipt"] ?? document)["in_app"]?.elements)
        let (purchases, unreadable) = verified.receipt.payload.purchases
        #expect(unreadable == 0 && purchases.count == stated.count)
        for row in stated {
            let id = try #require(row["transaction_id"]?.string)
            let purchase = try #require(purchases.first { $0.transactionId == id })
            #expect(purchase.originalTransactionId == row["original_transaction_id"]?.string, "\(id)")
            #expect(purchase.productId == row["product_id"]?.string, "\(id)")
            #expect(purchase.quantity.map { "\($0)" } == row["quantity"].map(Self.text), "\(id)")
            #expect(
                purchase.webOrderLineItemId
                    == row["web_order_line_item_id"].map(Self.text).flatMap { $0 == "0" ? nil : $0 })
            #expect(purchase.purchaseDate == Self.date("purchase_date", row), "\(id)")
            #expect(purchase.originalPurchaseDate == Self.date("original_purchase_date", row), "\(id)")
            #expect(purchase.expiresDate == Self.date("expires_date", row), "\(id)")
            #expect(purchase.cancellationDate == Self.date("cancellation_date", row), "\(id)")
            if let flag = row["is_trial_period"] {
                #expect((purchase.offer?.isFreeTrial == true) == ["true", "1"].contains(Self.text(flag)), "\(id)")
            }
        }
    }

    private static func text(_ value: JSONView) -> String { value.string ?? value.numberText ?? "" }

    private static func date(_ name: String, _ row: JSONView) -> Instant? {
        func member(_ name: String) -> String? { row.members.first { $0.key == name }?.value.string }
        return member("\(name)_ms").flatMap { Int64($0) }.map(Instant.init(milliseconds:))
            ?? member(name).flatMap { Instant(iso8601: $0) }
    }

    private static func verify(
        _ bytes: [UInt8], root: String?, environments: Set<Environment> = [.production, .sandbox, .xcode]
    ) async -> Result<SignedArtifact, Refusal> {
        var trust = TrustPolicy(environments: root == nil ? environments.subtracting([.xcode]) : environments)
        trust.configuredRoots = root.flatMap { try? [ConfiguredRoot(file: Fixtures.bytes("certs/\($0)"))] } ?? []
        return await SignedDataVerifier(trust: trust).verify(bytes, as: .receipt, now: ConformanceTests.now)
    }

    /// Compares a receipt with the fields that an independent decoder found.
    private static func expect(_ receipt: AppReceipt, equals measured: JSONView, _ file: String) throws {
        for (name, value) in measured["payload"]?.members ?? [] {
            let attribute = receipt.attributes.first { $0.type.name == name }
            #expect(attribute?.value.text == Self.text(value), "\(name) of \(file)")
        }
        #expect(Int64(receipt.inApp.count) == measured["in_app_count"]?.integer, "\(file)")
        #expect(receipt.purchases.unreadable == 0, "\(file)")
        let types = Set(receipt.attributes.map(\.type.rawValue) + (receipt.inApp.isEmpty ? [] : [17]))
        #expect(types.sorted() == measured["attribute_types"]?.elements?.compactMap(\.integer), "\(file)")
        let products = Set(receipt.purchases.rows.map(\.productId)).sorted()
        #expect(products == measured["in_app_products"]?.elements?.compactMap(\.string).sorted(), "\(file)")
        for (place, purchase) in [("in_app_first", receipt.inApp.first), ("in_app_last", receipt.inApp.last)] {
            for (name, value) in measured.members.first(where: { $0.key == place })?.value.members ?? [] {
                let attribute = purchase?.first { $0.type.name == name }
                #expect(attribute?.value.text == Self.text(value), "\(name) of \(place) in \(file)")
            }
        }
    }
}

extension ReceiptAttribute.Value {
    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): "\(integer)"
        case .octets(let octets): Hex.encode(octets)
        }
    }
}

/// The files that nobody here wrote.
enum Fixtures {
    static func bytes(_ file: String) throws -> [UInt8] {
        let folder = try #require(TestEnvironment.fixtures)
        return try Array(#require(FileManager.default.contents(atPath: "\(folder)/\(file)"), "\(file) is not there"))
    }

    static func entries(kind: String) throws -> [JSONView] {
        let manifest = try JSONDocument(parsing: bytes("MANIFEST.json")).root
        return try #require(manifest["entries"]?.elements).filter { $0["kind"]?.string == kind }
    }
}
