import AppStoreModel
import AppStoreTranslation
import AppStoreVerification
import EventLog
import Primitives
import ProjectionRuntime

/// Derives facts from evidence, both when an event is drafted and when it is read back from the log.
enum Derivation {
    /// - Parameter bundleId: the app of a single renewal info, which does not name it.
    static func facts(of artifact: SignedArtifact, bundleId: String?) -> EventFacts {
        // Facts are stored with their record, which has the position and the time.
        let translation = Translation(position: 0, recordedAt: .earliest)
        switch artifact {
        case .notification(let notification):
            return EventFacts(
                translation.notification(
                    signed(notification.outer), transaction: notification.transaction.map(signed),
                    renewalInfo: notification.renewalInfo.map(signed),
                    appTransaction: notification.appTransaction.map(signed)))
        case .transaction(let transaction):
            return EventFacts(translation.transaction(signed(transaction)))
        case .renewalInfo(let renewalInfo):
            return EventFacts(bundleId.map { translation.renewalInfo(signed(renewalInfo), bundleId: $0) } ?? [])
        case .appTransaction(let appTransaction, _):
            return EventFacts(translation.appTransaction(signed(appTransaction)))
        }
    }

    private static func signed<Payload>(_ verified: VerifiedJWS<Payload>) -> SignedPayload<Payload> {
        SignedPayload(verified.payload, digest: verified.proof.signingInput)
    }

    /// - Throws: `log_corrupt` when the evidence of a known artifact cannot be read.
    static func event(_ record: Record, _ evidence: [UInt8]) throws -> DerivedEvent {
        let artifact = try artifact(of: record, evidence)
        var facts = CustomerEvents.fact(in: record).map { EventFacts($0) }
        var repeatIdentity: Identity?
        if let artifact {
            facts = self.facts(of: artifact, bundleId: bundleId(in: record.body))
            if case .notification(let notification) = artifact {
                let claims = notification.outer.payload.payload
                repeatIdentity = claims.notificationUUID.map {
                    Identity(notificationUUID: $0, environment: record.environment, bundleId: claims.bundleId ?? "")
                }
            }
        }
        return DerivedEvent(
            position: record.position, recordedAt: record.recordedAt, identity: record.identity,
            repeatIdentity: repeatIdentity, facts: facts?.bytes ?? [], indexTerms: facts?.indexTerms ?? [])
    }

    /// Returns the artifact of an event; nil for events without a JWS as evidence.
    static func artifact(of record: Record, _ evidence: [UInt8]) throws -> SignedArtifact? {
        guard let kind = ArtifactKind(record.artifact) else { return nil }
        do throws(Refusal) {
            return try VerifiedBefore.artifact(evidence, kind: kind)
        } catch {
            throw EventLogError(
                .logCorrupt, "the evidence at position \(record.position) cannot be read", expected: kind.rawValue,
                found: error.reason, hint: "Run `subledger audit verify --deep`.")
        }
    }

    static func bundleId(in body: [UInt8]) -> String? {
        try? JSONDocument(parsing: body).root["bundleId"]?.string
    }
}

extension ArtifactKind {
    init?(_ artifact: ArtifactCode) {
        switch artifact {
        case .notificationV2: self = .notification
        case .transaction: self = .transaction
        case .renewalInfo: self = .renewalInfo
        case .appTransaction: self = .appTransaction
        default: return nil
        }
    }
}
