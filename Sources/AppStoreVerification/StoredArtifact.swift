@_spi(Verification) package import AppStoreModel
package import Primitives

/// An artifact read back from the log. It was verified when it was appended; an audit can verify it again.
///
/// It carries no proof, only what facts are decoded from.
package enum StoredArtifact: Sendable {
    case notification(StoredNotification)
    case transaction(StoredJWS<Transaction>)
    case renewalInfo(StoredJWS<RenewalInfo>)
    case appTransaction(StoredJWS<AppTransaction>)
    case receipt(StoredReceipt)

    /// Reads evidence. Claims of the wrong JSON type are absent: the log may contain evidence from before they were
    /// refused.
    /// - Throws: the refusal of an artifact that cannot be read at all, which in a log is damage.
    package init(_ evidence: [UInt8], kind: ArtifactKind) throws(Refusal) {
        self =
            switch kind {
            case .notification: .notification(try StoredNotification(JWS(parsing: evidence)))
            case .transaction: .transaction(try StoredJWS(JWS(parsing: evidence), Transaction.init))
            case .renewalInfo: .renewalInfo(try StoredJWS(JWS(parsing: evidence), RenewalInfo.init))
            case .appTransaction: .appTransaction(try StoredJWS(JWS(parsing: evidence), AppTransaction.init))
            case .receipt: .receipt(try StoredReceipt(evidence))
            }
    }

    /// Creates the artifact that the log will return for a verified one.
    package init(_ artifact: SignedArtifact) {
        self =
            switch artifact {
            case .notification(let notification): .notification(StoredNotification(notification))
            case .transaction(let signed): .transaction(StoredJWS(signed))
            case .renewalInfo(let signed): .renewalInfo(StoredJWS(signed))
            case .appTransaction(let signed, _): .appTransaction(StoredJWS(signed))
            case .receipt(let receipt): .receipt(StoredReceipt(receipt))
            }
    }

    /// The SHA-256 of the signed bytes of the artifact itself.
    package var signingInput: Digest {
        switch self {
        case .notification(let notification): notification.outer.signingInput
        case .transaction(let stored): stored.signingInput
        case .renewalInfo(let stored): stored.signingInput
        case .appTransaction(let stored): stored.signingInput
        case .receipt(let stored): stored.content
        }
    }
}

/// The payload of one JWS, and the SHA-256 of its signing input `header.payload`.
package struct StoredJWS<Payload: Sendable>: Sendable {
    package let payload: Verified<Payload>
    package let signingInput: Digest

    fileprivate init(_ signed: VerifiedJWS<Payload>) {
        payload = signed.payload
        signingInput = signed.proof.signingInput
    }

    fileprivate init(
        _ jws: JWS, _ decode: (JSONView, MistypedClaims, UnverifiedWords?) throws(PayloadError) -> Payload
    ) throws(Refusal) {
        do throws(PayloadError) {
            payload = Verified(payload: try decode(jws.payload.root, .absent, nil))
        } catch {
            throw Refusal(payload: error)
        }
        signingInput = JWSDigests(of: jws).signingInput
    }
}

/// A notification with the payloads of the JWS that it carries.
package struct StoredNotification: Sendable {
    package let outer: StoredJWS<Notification>
    package let transaction: StoredJWS<Transaction>?
    package let renewalInfo: StoredJWS<RenewalInfo>?
    package let appTransaction: StoredJWS<AppTransaction>?

    fileprivate init(_ signed: SignedNotification) {
        outer = StoredJWS(signed.outer)
        transaction = signed.transaction.map(StoredJWS.init)
        renewalInfo = signed.renewalInfo.map(StoredJWS.init)
        appTransaction = signed.appTransaction.map(StoredJWS.init)
    }

    fileprivate init(_ jws: JWS) throws(Refusal) {
        outer = try StoredJWS(jws, Notification.init)
        let claims = outer.payload.payload
        transaction = try Self.nested(claims.data?.signedTransactionInfo, Transaction.init)
        renewalInfo = try Self.nested(claims.data?.signedRenewalInfo, RenewalInfo.init)
        appTransaction = try Self.nested(claims.appData?.signedAppTransactionInfo, AppTransaction.init)
    }

    private static func nested<Payload>(
        _ bytes: [UInt8]?, _ decode: (JSONView, MistypedClaims, UnverifiedWords?) throws(PayloadError) -> Payload
    ) throws(Refusal) -> StoredJWS<Payload>? {
        guard let bytes else { return nil }
        return try StoredJWS(JWS(parsing: bytes), decode)
    }
}
