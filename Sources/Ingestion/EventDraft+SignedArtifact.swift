import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Primitives

extension EventDraft {
    /// Creates the draft of the event that records a verified artifact.
    ///
    /// - Parameters:
    ///   - facts: the facts of the artifact.
    ///   - trust: names the app of renewal info, which does not name it itself: the only one that is configured.
    /// - Throws: `renewal_info_without_bundle`, or `claim_missing` for an artifact without a signing time and for a
    ///   notification whose UUID is missing or too long.
    init(
        _ artifact: SignedArtifact, facts: EventFacts, source: EventSource, trust: TrustPolicy
    ) throws(Refusal) {
        guard artifact.proof.hasSigningTime else {
            throw Refusal(.claimMissing, "the artifact has no signing time", expected: "signedDate", found: "none")
        }
        switch artifact {
        case .notification(let notification):
            try self.init(notification, facts, source)
        case .transaction(let signed):
            self.init(
                .transactionVerified, .transaction, signed.jws, signed.proof,
                environment: signed.payload.payload.environment, source, facts: facts)
        case .renewalInfo(let signed):
            self.init(
                .renewalInfoVerified, .renewalInfo, signed.jws, signed.proof,
                environment: signed.payload.payload.environment, source,
                body: .object(["bundleId": .string(try trust.onlyBundleId())]), facts: facts)
        case .appTransaction(let signed, let claims):
            self.init(
                .appTransactionVerified, .appTransaction, signed.jws, signed.proof,
                environment: signed.payload.payload.receiptType, source,
                flags: claims.appAppleIdNotChecked ? .appIdNotChecked : [], facts: facts)
        case .receipt(let receipt):
            self.init(receipt, facts, source)
        }
    }

    /// Anybody can change the certificates of a receipt, and the bytes after it, so its content is its key.
    private init(_ verified: VerifiedReceipt, _ facts: EventFacts, _ source: EventSource) {
        let (receipt, proof) = (verified.receipt.payload, verified.proof)
        let environment = Self.code(of: receipt.environment)
        let unreadable = receipt.purchases.unreadable
        self.init(
            kind: .receiptVerified, source: source, environment: environment, artifact: .receipt, trust: .signed,
            flags: proof.isConfiguredRoot ? .configuredRoot : [],
            idempotencyKey: IdempotencyKey(artifact: .receipt, environment: environment, key: proof.signingInput.bytes),
            evidence: Evidence(bytes: verified.container, digest: proof.text),
            verifiedAt: proof.verifiedAt, leafCertificate: proof.leaf, rootCertificate: proof.root,
            body: JSONValue.object(unreadable == 0 ? [] : [.init("unreadable", .integer(Int64(unreadable)))])
                .canonical(),
            attachment: IndexedFacts(facts))
    }

    /// The maximum length of a UUID in bytes; Apple's have 36. Escaping may expand each byte to six, and the record's
    /// body must stay below 4 KiB.
    private static let uuidByteLimit = 256

    private init(_ notification: SignedNotification, _ facts: EventFacts, _ source: EventSource) throws(Refusal) {
        let outer = notification.outer
        let claims = outer.payload.payload
        guard let uuid = claims.notificationUUID else {
            throw Refusal(
                .claimMissing, "the notification has no notificationUUID", expected: "notificationUUID", found: "none")
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
        self.init(
            .notificationReceived, .notificationV2, outer.jws, outer.proof, environment: claims.environment, source,
            flags: flags, body: .object(["notificationUUID": .string(uuid)]),
            notificationKey: IdempotencyKey(
                notificationUUID: uuid, environment: environment, bundleId: claims.bundleId ?? ""),
            nested: [
                Self.nested(notification.transaction?.jws, of: outer.jws, "data", "signedTransactionInfo"),
                Self.nested(notification.renewalInfo?.jws, of: outer.jws, "data", "signedRenewalInfo"),
                Self.nested(notification.appTransaction?.jws, of: outer.jws, "appData", "signedAppTransactionInfo"),
            ].compactMap(\.self).sorted { $0.range.lowerBound < $1.range.lowerBound },
            facts: facts)
    }

    private init(
        _ kind: EventKind, _ artifact: ArtifactCode, _ jws: JWS, _ proof: Proof, environment: Environment?,
        _ source: EventSource, flags: RecordFlags = [], body: JSONValue = .object([]),
        notificationKey: IdempotencyKey? = nil, nested: [Evidence.Nested] = [], facts: EventFacts
    ) {
        let environment = Self.code(of: environment)
        self.init(
            kind: kind, source: source, environment: environment, artifact: artifact, trust: .signed,
            flags: proof.isConfiguredRoot ? flags.union(.configuredRoot) : flags,
            idempotencyKey: IdempotencyKey(artifact: artifact, environment: environment, key: proof.signingInput.bytes),
            notificationKey: notificationKey,
            evidence: Evidence(
                bytes: jws.text, digest: proof.text, layout: .jws(Self.layout(of: jws, nested: nested))),
            verifiedAt: proof.verifiedAt, leafCertificate: proof.leaf, rootCertificate: proof.root,
            body: body.canonical(), attachment: IndexedFacts(facts))
    }

    static func layout(of jws: JWS, nested: [Evidence.Nested] = []) -> Evidence.JWSLayout {
        Evidence.JWSLayout(
            headerEnd: jws.headerEnd, payloadEnd: jws.payloadEnd, payload: jws.payload.bytes, signature: jws.signature,
            nested: nested)
    }

    /// Returns the layout of a nested JWS; nil when there is none, or when its string has escapes and so differs from
    /// its bytes.
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
}

extension TrustPolicy {
    /// - Throws: `renewal_info_without_bundle` unless exactly one app is configured.
    fileprivate func onlyBundleId() throws(Refusal) -> String {
        guard apps.count == 1, let app = apps.first else {
            throw Refusal(
                .renewalInfoWithoutBundle, "the renewal info has no bundleId", expected: "exactly one configured app",
                found: "\(apps.count)")
        }
        return app.bundleId
    }
}
