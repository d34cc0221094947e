import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives

/// Payloads as the App Store signs them, with the changes of a test.
enum Sample {
    /// The ledger's clock: 2026-01-15T12:00:00Z.
    static let now = Instant(milliseconds: 1_768_478_400_000)
    /// One minute before `now`.
    static let signedDate = Instant(milliseconds: 1_768_478_340_000)
    static let bundleId = "com.example.app"
    static let appAppleId: Int64 = 1_234_567_890

    static let signer = JWSSigner(.standard)

    /// Fields by name: given ones replace or extend those of the sample, and nil removes one.
    typealias Changes = [String: JSONValue?]

    static func transaction(_ changes: Changes = [:]) -> JSONValue {
        object(
            [
                .init("transactionId", .string("2000000000000002")),
                .init("originalTransactionId", .string("2000000000000001")),
                .init("bundleId", .string(bundleId)),
                .init("productId", .string("com.example.app.pro")),
                .init("purchaseDate", .integer(1_768_478_000_000)),
                .init("expiresDate", .integer(1_771_070_000_000)),
                .init("type", .string("Auto-Renewable Subscription")),
                .init("inAppOwnershipType", .string("PURCHASED")),
                .init("signedDate", .integer(signedDate.milliseconds)),
                .init("environment", .string("Sandbox")),
                .init("price", .integer(9_990)),
                .init("currency", .string("EUR")),
            ], changes)
    }

    static func renewalInfo(_ changes: Changes = [:]) -> JSONValue {
        object(
            [
                .init("originalTransactionId", .string("2000000000000001")),
                .init("autoRenewProductId", .string("com.example.app.pro")),
                .init("productId", .string("com.example.app.pro")),
                .init("autoRenewStatus", .integer(1)),
                .init("renewalDate", .integer(1_771_070_000_000)),
                .init("signedDate", .integer(signedDate.milliseconds)),
                .init("environment", .string("Sandbox")),
            ], changes)
    }

    static func appTransaction(_ changes: Changes = [:]) -> JSONValue {
        object(
            [
                .init("receiptType", .string("Sandbox")),
                .init("appAppleId", .integer(appAppleId)),
                .init("bundleId", .string(bundleId)),
                .init("applicationVersion", .string("2.5")),
                .init("receiptCreationDate", .integer(signedDate.milliseconds)),
            ], changes)
    }

    /// A renewal that contains both JWS.
    static func notification(
        _ changes: Changes = [:], data: Changes = [:], transaction: JSONValue = transaction(),
        renewalInfo: JSONValue = renewalInfo()
    ) -> JSONValue {
        notification(
            changes, data: data, transaction: signer.sign(transaction).text,
            renewalInfo: signer.sign(renewalInfo).text)
    }

    /// The same with given texts for the nested JWS.
    static func notification(
        _ changes: Changes = [:], data: Changes = [:], transaction: String, renewalInfo: String? = nil
    ) -> JSONValue {
        var parts: [JSONValue.Member] = [
            .init("bundleId", .string(bundleId)),
            .init("bundleVersion", .string("25")),
            .init("environment", .string("Sandbox")),
            .init("status", .integer(1)),
            .init("signedTransactionInfo", .string(transaction)),
        ]
        if let renewalInfo { parts.append(.init("signedRenewalInfo", .string(renewalInfo))) }
        return notification(changes, part: "data", object(parts, data))
    }

    /// A withdrawn consent, which concerns an app transaction.
    static func rescindedConsent(_ appTransaction: JSONValue = appTransaction()) -> JSONValue {
        notification(
            ["notificationType": .string("RESCIND_CONSENT")], part: "appData",
            object(
                [
                    .init("appAppleId", .integer(appAppleId)),
                    .init("bundleId", .string(bundleId)),
                    .init("environment", .string("Sandbox")),
                    .init("signedAppTransactionInfo", .string(signer.sign(appTransaction).text)),
                ], [:]))
    }

    static func notification(_ changes: Changes, part: String, _ value: JSONValue) -> JSONValue {
        object(
            [
                .init("notificationType", .string("DID_RENEW")),
                .init("notificationUUID", .string("15101c57-7b3d-49c2-8adf-74ac2740ea8c")),
                .init("version", .string("2.0")),
                .init("signedDate", .integer(signedDate.milliseconds)),
                .init(part, value),
            ], changes)
    }

    static func object(_ members: [JSONValue.Member], _ changes: Changes) -> JSONValue {
        let kept = members.compactMap { member -> JSONValue.Member? in
            guard let change = changes[member.key] else { return member }
            return change.map { JSONValue.Member(member.key, $0) }
        }
        let added = changes.sorted { $0.key < $1.key }.compactMap { key, value -> JSONValue.Member? in
            members.contains { $0.key == key } ? nil : value.map { JSONValue.Member(key, $0) }
        }
        return .object(kept + added)
    }
}

extension TrustPolicy {
    /// One app, Production and Sandbox, and the simulation's root.
    static let sample = TrustPolicy.trusting(.standard)

    static func trusting(_ authority: SigningAuthority) -> TrustPolicy {
        TrustPolicy(
            apps: [App(bundleId: Sample.bundleId, appAppleId: Sample.appAppleId)],
            configuredRoots: [.of(authority)])
    }
}

extension ConfiguredRoot {
    static func of(_ authority: SigningAuthority) -> ConfiguredRoot {
        guard let root = try? ConfiguredRoot(file: authority.rootCertificate) else {
            preconditionFailure("an authority's root is a certificate")
        }
        return root
    }
}

extension SignedDataVerifier {
    func verify(_ bytes: [UInt8], as kind: ArtifactKind? = nil) async -> Result<SignedArtifact, Refusal> {
        await verify(bytes, as: kind, now: Sample.now)
    }
}

extension Result where Failure == Refusal {
    var refusal: Refusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
