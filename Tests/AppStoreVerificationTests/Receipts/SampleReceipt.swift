import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives

/// Receipts as the App Store signs them, with the changes of a test.
enum SampleReceipt {
    static let signer = ReceiptSigner.standard
    static let guid: [UInt8] = Array(1...16)

    /// The sample's trust, with the root of receipts.
    static let trust: TrustPolicy = {
        var trust = TrustPolicy.sample
        guard let root = try? ConfiguredRoot(file: signer.rootCertificate) else {
            preconditionFailure("the signer's root is a certificate")
        }
        trust.configuredRoots.append(root)
        return trust
    }()

    /// The attributes of the app, with given values in place of those of the sample; nil removes one.
    static func attributes(_ changes: [ReceiptAttributeType: ReceiptAttribute.Value?] = [:]) -> [ReceiptAttribute] {
        let sample: [(ReceiptAttributeType, ReceiptAttribute.Value)] = [
            (.receiptType, .text("ProductionSandbox")), (.bundleId, .text(Sample.bundleId)),
            (.applicationVersion, .text("2.5")), (.opaque, .octets([9, 8, 7])),
            (.receiptCreationDate, .text("2026-01-15T11:59:00Z")), (.originalApplicationVersion, .text("1.0")),
        ]
        let kept = sample.compactMap { type, value -> ReceiptAttribute? in
            guard let change = changes[type] else { return ReceiptAttribute(type, value) }
            return change.map { ReceiptAttribute(type, $0) }
        }
        let added = changes.filter { change in !sample.contains { $0.0 == change.key } }
            .sorted { $0.key.rawValue < $1.key.rawValue }
        return kept + added.compactMap { type, value in value.map { ReceiptAttribute(type, $0) } }
    }

    static func purchase(
        _ id: String = "2000000000000002", _ changes: [ReceiptAttributeType: ReceiptAttribute.Value?] = [:]
    ) -> [ReceiptAttribute] {
        let sample: [(ReceiptAttributeType, ReceiptAttribute.Value)] = [
            (.quantity, .integer(1)), (.productId, .text("com.example.app.pro")), (.transactionId, .text(id)),
            (.originalTransactionId, .text("2000000000000001")), (.purchaseDate, .text("2026-01-15T10:00:00Z")),
            (.inAppOriginalPurchaseDate, .text("2025-12-15T10:00:00Z")), (.productType, .integer(3)),
            (.expiresDate, .text("2026-02-15T10:00:00Z")), (.webOrderLineItemId, .integer(77)),
            (.cancellationDate, .text("")), (.isTrialPeriod, .integer(0)),
        ]
        return sample.compactMap { type, value in
            (changes[type] ?? value).map { ReceiptAttribute(type, $0) }
        }
    }

    static func receipt(
        _ changes: [ReceiptAttributeType: ReceiptAttribute.Value?] = [:], inApp: [[ReceiptAttribute]] = [purchase()]
    ) -> AppReceipt {
        AppReceipt(attributes: attributes(changes), inApp: inApp)
    }

    static func verify(
        _ container: [UInt8], trust: TrustPolicy = trust, device: ReceiptDevice = ReceiptDevice()
    ) async -> Result<VerifiedReceipt, Refusal> {
        await SignedDataVerifier(trust: trust).verify(container, now: Sample.now, device: device).map { artifact in
            guard case .receipt(let receipt) = artifact else { preconditionFailure("the artifact is a receipt") }
            return receipt
        }
    }
}
