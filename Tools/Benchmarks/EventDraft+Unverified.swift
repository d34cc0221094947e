import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import Primitives

extension EventDraft {
    /// Creates the event of a notification without verifying it.
    init(unverified notification: SignedStoreArtifact) throws {
        let data = try JSONDocument(parsing: notification.jws.payload).root["data"]
        let parts = [
            (data?["signedTransactionInfo"], notification.transaction),
            (data?["signedRenewalInfo"], notification.renewalInfo),
        ]
        let nested = parts.compactMap { text, jws -> Evidence.Nested? in
            guard let range = text?.plainStringRange, let jws else { return nil }
            return Evidence.Nested(range: range, layout: Self.layout(of: jws))
        }
        try self.init(.notificationReceived, .notificationV2, .notification, notification.jws, nested)
    }

    /// Creates the event of the transaction in a notification without verifying it.
    init(unverifiedTransactionOf notification: SignedStoreArtifact) throws {
        guard let transaction = notification.transaction else {
            throw BenchmarkFailure("a notification of the sample has no transaction")
        }
        try self.init(.transactionVerified, .transaction, .transaction, transaction)
    }

    private init(
        _ event: EventKind, _ code: ArtifactCode, _ kind: ArtifactKind, _ jws: SignedJWS,
        _ nested: [Evidence.Nested] = []
    ) throws {
        let stored = try StoredArtifact(jws.compact, kind: kind)
        var uuid: String?
        if case .notification(let notification) = stored { uuid = notification.outer.payload.payload.notificationUUID }
        self.init(
            kind: event, source: .http, environment: .production, artifact: code, trust: .signed,
            flags: .configuredRoot,
            idempotencyKey: IdempotencyKey(
                artifact: code, environment: .production, key: stored.signingInput.bytes),
            notificationKey: uuid.map {
                IdempotencyKey(notificationUUID: $0, environment: .production, bundleId: StoreConfiguration().bundleId)
            },
            evidence: Evidence(bytes: jws.compact, layout: .jws(Self.layout(of: jws, nested))),
            verifiedAt: .earliest,
            body: JSONValue.object(uuid.map { ["notificationUUID": .string($0)] } ?? [:]).canonical(),
            attachment: IndexedFacts(EventDecoder.facts(of: stored, bundleId: nil)))
    }

    private static func layout(of jws: SignedJWS, _ nested: [Evidence.Nested] = []) -> Evidence.JWSLayout {
        Evidence.JWSLayout(
            headerEnd: jws.signingInput.firstIndex(of: UInt8(ascii: ".")) ?? 0, payloadEnd: jws.signingInput.count,
            payload: jws.payload, signature: jws.signature, nested: nested)
    }
}
