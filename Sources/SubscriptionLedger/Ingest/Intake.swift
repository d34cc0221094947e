import AppStoreModel
import AppStoreTranslation
package import AppStoreVerification
package import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime

/// Drafts events from verified artifacts.
package struct Intake: Sendable {
    package let trust: TrustPolicy

    package init(trust: TrustPolicy) {
        self.trust = trust
    }

    /// - Returns: the draft, or the refusal `renewal_info_without_bundle`, or `claim_missing` for an artifact without a
    ///   signing time and for a notification whose UUID is missing or too long.
    package func draft(for artifact: SignedArtifact, source: EventSource) -> Result<EventDraft, Refusal> {
        do throws(Refusal) {
            guard artifact.proof.hasSigningTime else {
                throw Refusal(
                    .claimMissing, "the artifact has no signing time", expected: "signedDate", found: "none")
            }
            switch artifact {
            case .notification(let notification): return .success(try draft(notification, source))
            case .transaction(let signed):
                return .success(
                    draft(
                        .transactionVerified, .transaction, signed.jws, signed.proof,
                        environment: signed.payload.payload.environment, source,
                        facts: Derivation.facts(of: artifact, bundleId: nil)))
            case .renewalInfo(let signed):
                let bundleId = try onlyBundle()
                return .success(
                    draft(
                        .renewalInfoVerified, .renewalInfo, signed.jws, signed.proof,
                        environment: signed.payload.payload.environment, source,
                        body: .object(["bundleId": .string(bundleId)]),
                        facts: Derivation.facts(of: artifact, bundleId: bundleId)))
            case .appTransaction(let signed, let claims):
                return .success(
                    draft(
                        .appTransactionVerified, .appTransaction, signed.jws, signed.proof,
                        environment: signed.payload.payload.receiptType, source,
                        flags: claims.appAppleIdNotChecked ? .appIdNotChecked : [],
                        facts: Derivation.facts(of: artifact, bundleId: nil)))
            }
        } catch {
            return .failure(error)
        }
    }

    /// A UUID has 36 bytes. Escaping may turn each byte into six, and the record's body must stay below 4 KiB.
    private static let uuidByteLimit = 256

    private func draft(_ notification: SignedNotification, _ source: EventSource) throws(Refusal) -> EventDraft {
        let outer = notification.outer
        let claims = outer.payload.payload
        guard let uuid = claims.notificationUUID else {
            throw Refusal(
                .claimMissing, "the notification has no UUID", expected: "notificationUUID", found: "none")
        }
        guard uuid.utf8.count <= Self.uuidByteLimit else {
            throw Refusal(
                .claimMissing, "the notificationUUID is too long",
                expected: "at most \(Self.uuidByteLimit) bytes",
                found: "\(uuid.utf8.count)")
        }
        var flags: RecordFlags = notification.restsOnConfiguredRoot ? .configuredRoot : []
        if notification.claimChecks.appAppleIdNotChecked { flags.insert(.appIdNotChecked) }
        let environment = Self.code(of: claims.environment)
        return draft(
            .notificationReceived, .notificationV2, outer.jws, outer.proof, environment: claims.environment, source,
            flags: flags, body: .object(["notificationUUID": .string(uuid)]),
            repeatIdentity: Identity(
                notificationUUID: uuid, environment: environment, bundleId: claims.bundleId ?? ""),
            nested: [
                Self.nested(notification.transaction?.jws, of: outer.jws, "data", "signedTransactionInfo"),
                Self.nested(notification.renewalInfo?.jws, of: outer.jws, "data", "signedRenewalInfo"),
                Self.nested(notification.appTransaction?.jws, of: outer.jws, "appData", "signedAppTransactionInfo"),
            ].compactMap(\.self).sorted { $0.range.lowerBound < $1.range.lowerBound },
            facts: Derivation.facts(of: .notification(notification), bundleId: nil))
    }

    private func draft(
        _ kind: EventKind, _ artifact: ArtifactCode, _ jws: JWS, _ proof: Proof, environment: Environment?,
        _ source: EventSource, flags: RecordFlags = [], body: JSONValue = .object([]), repeatIdentity: Identity? = nil,
        nested: [Evidence.Nested] = [], facts: EventFacts
    ) -> EventDraft {
        let environment = Self.code(of: environment)
        return EventDraft(
            kind: kind, source: source, environment: environment, artifact: artifact, trust: .signed,
            flags: proof.isConfiguredRoot ? flags.union(.configuredRoot) : flags,
            identity: Identity(artifact: artifact, environment: environment, key: proof.signingInput.bytes),
            repeatIdentity: repeatIdentity,
            evidence: Evidence(
                bytes: jws.text, digest: proof.text, layout: .jws(Self.layout(of: jws, nested: nested))),
            verifiedAt: proof.verifiedAt, leafCertificate: proof.leaf, rootCertificate: proof.root,
            body: body.canonical(), facts: facts.bytes,
            indexTerms: facts.indexTerms)
    }

    private static func layout(of jws: JWS, nested: [Evidence.Nested] = []) -> Evidence.JWSLayout {
        Evidence.JWSLayout(
            headerEnd: jws.headerEnd, payloadEnd: jws.payloadEnd, payload: jws.payload.bytes, signature: jws.signature,
            nested: nested)
    }

    /// Nil when there is no nested JWS, or when its string has escapes and so differs from its bytes.
    private static func nested(
        _ jws: JWS?, of outer: JWS, _ part: StaticString, _ claim: StaticString
    ) -> Evidence.Nested? {
        guard let jws, let range = outer.payload.root[part]?[claim]?.plainStringRange, range.count == jws.text.count
        else { return nil }
        return Evidence.Nested(range: range, layout: layout(of: jws))
    }

    private static func code(of environment: Environment?) -> EnvironmentCode {
        environment.flatMap { EnvironmentCode(name: $0.rawValue) } ?? .none
    }

    /// Returns the app of renewal info, which does not name it: the only one that is configured.
    private func onlyBundle() throws(Refusal) -> String {
        guard trust.apps.count == 1, let app = trust.apps.first else {
            throw Refusal(
                .renewalInfoWithoutBundle, "renewal info names no app", expected: "exactly one app configured",
                found: "\(trust.apps.count)")
        }
        return app.bundleId
    }
}
