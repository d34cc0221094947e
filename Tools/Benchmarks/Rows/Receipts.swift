import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import CryptoExtras
import Primitives

import struct Crypto.SHA256

extension BenchmarkRow {
    /// The verification of distinct receipts of ten purchases each on one thread: container, chain, signature, content.
    static let receipts = BenchmarkRow(
        name: "receipts", unit: "receipts/s a core",
        limitName: "the same content hashed and its RSA signature verified with a ready key",
        target: .ratioAtLeast(0.25)
    ) { progress in
        progress.report("signing \(ReceiptSample.count) receipts")
        let sample = try ReceiptSample()
        var measurement = try await Measurement.alternating(progress) {
            try await sample.rate { await sample.verify($0) }
        } limit: {
            try await sample.rate { sample.checkSignature($0) }
        }
        measurement.note = "\(ReceiptSample.purchases) purchases a receipt"
        return measurement
    }
}

private struct ReceiptSample: Sendable {
    static let count = 1_000
    static let purchases = 10

    private let containers: [[UInt8]]
    private let contents: [[UInt8]]
    private let signatures: [_RSA.Signing.RSASignature]
    private let key: _RSA.Signing.PublicKey
    private let verifier: SignedDataVerifier
    private let now = Instant.latest

    init() throws {
        let signer = ReceiptSigner.standard
        verifier = SignedDataVerifier(
            trust: TrustPolicy(configuredRoots: [try ConfiguredRoot(file: signer.rootCertificate)]))
        key = signer.leafPublicKey
        let receipts = (0..<Self.count).map(Self.receipt)
        contents = receipts.map(\.content)
        containers = try receipts.map { try signer.sign($0) }
        signatures = try contents.map { try signer.signature(of: $0) }
    }

    private static func receipt(_ number: Int) -> AppReceipt {
        AppReceipt(
            attributes: [
                ReceiptAttribute(.receiptType, .text("Production")),
                ReceiptAttribute(.bundleId, .text("com.example.app")),
                ReceiptAttribute(.receiptCreationDate, .text("2025-06-01T00:00:00Z")),
            ],
            inApp: (0..<purchases).map { place in
                [
                    ReceiptAttribute(.quantity, .integer(1)),
                    ReceiptAttribute(.productId, .text("com.example.app.pro")),
                    ReceiptAttribute(.transactionId, .text("\(2_000_000_000_000_000 + number * 100 + place)")),
                    ReceiptAttribute(.originalTransactionId, .text("\(2_000_000_000_000_000 + number * 100)")),
                    ReceiptAttribute(.purchaseDate, .text("2025-05-0\(place % 9 + 1)T10:00:00Z")),
                    ReceiptAttribute(.inAppOriginalPurchaseDate, .text("2025-05-01T10:00:00Z")),
                    ReceiptAttribute(.productType, .integer(3)),
                    ReceiptAttribute(.expiresDate, .text("2025-06-0\(place % 9 + 1)T10:00:00Z")),
                    ReceiptAttribute(.webOrderLineItemId, .integer(Int64(number * 100 + place + 1))),
                    ReceiptAttribute(.isTrialPeriod, .integer(0)),
                ]
            })
    }

    /// Returns receipts per second.
    func rate(_ work: (Int) async -> Bool) async throws -> Double {
        let start = ContinuousClock.now
        for index in 0..<Self.count {
            guard await work(index) else { throw BenchmarkFailure("a receipt of the sample was refused") }
        }
        return Double(Self.count) / (ContinuousClock.now - start).seconds
    }

    func verify(_ index: Int) async -> Bool {
        guard case .success = await verifier.verify(containers[index], as: .receipt, now: now) else { return false }
        return true
    }

    func checkSignature(_ index: Int) -> Bool {
        key.isValidSignature(signatures[index], for: SHA256.hash(data: contents[index]), padding: .insecurePKCS1v1_5)
    }
}
