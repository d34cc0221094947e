import AppStoreSimulation
import Primitives

/// Artifacts of one app as the App Store signs them, with the changes of a test.
enum SampleArtifact {
    static let bundleId = "com.example.app"
    static let signer = JWSSigner(.standard)
    /// 2026-01-15T11:59:00Z.
    static let signedDate: Int64 = 1_768_478_340_000

    /// Fields by name: given ones replace those of the sample, and nil removes one.
    typealias Changes = [String: JSONValue?]

    static func transaction(_ changes: Changes = [:], by signer: JWSSigner = signer) -> SignedJWS {
        signer.sign(
            object(
                [
                    ("transactionId", .string("2000000000000002")),
                    ("originalTransactionId", .string("2000000000000001")), ("bundleId", .string(bundleId)),
                    ("productId", .string("pro")), ("purchaseDate", .integer(signedDate - 340_000)),
                    ("expiresDate", .integer(signedDate + 2_600_000_000)),
                    ("type", .string("Auto-Renewable Subscription")), ("inAppOwnershipType", .string("PURCHASED")),
                    ("signedDate", .integer(signedDate)), ("environment", .string("Sandbox")),
                ], changes))
    }

    static func renewalInfo(_ changes: Changes = [:]) -> SignedJWS {
        signer.sign(
            object(
                [
                    ("originalTransactionId", .string("2000000000000001")), ("autoRenewProductId", .string("pro")),
                    ("productId", .string("pro")), ("autoRenewStatus", .integer(1)),
                    ("signedDate", .integer(signedDate)), ("environment", .string("Sandbox")),
                ], changes))
    }

    static func notification(
        _ changes: Changes = [:], transaction: SignedJWS = transaction(), status: Int64? = nil
    ) -> SignedJWS {
        let members: [JSONValue.Member] = [
            .init("bundleId", .string(bundleId)), .init("environment", .string("Sandbox")),
            .init("signedTransactionInfo", .string(transaction.text)),
            .init("signedRenewalInfo", .string(renewalInfo().text)),
        ]
        let data = JSONValue.object(members + (status.map { [.init("status", .integer($0))] } ?? []))
        return signer.sign(
            object(
                [
                    ("notificationType", .string("SUBSCRIBED")), ("subtype", .string("INITIAL_BUY")),
                    ("notificationUUID", .string("15101c57-7b3d-49c2-8adf-74ac2740ea8c")), ("data", data),
                    ("version", .string("2.0")), ("signedDate", .integer(signedDate)),
                ], changes))
    }

    private static func object(_ members: [(String, JSONValue)], _ changes: Changes) -> JSONValue {
        let kept = members.compactMap { name, value -> JSONValue.Member? in
            guard let change = changes[name] else { return JSONValue.Member(name, value) }
            return change.map { JSONValue.Member(name, $0) }
        }
        let added = changes.sorted { $0.key < $1.key }.compactMap { name, value -> JSONValue.Member? in
            members.contains { $0.0 == name } ? nil : value.map { JSONValue.Member(name, $0) }
        }
        return .object(kept + added)
    }
}
