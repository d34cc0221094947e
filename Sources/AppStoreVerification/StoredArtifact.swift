@_spi(Verification) import AppStoreModel
import Primitives

/// Reads artifacts that were verified before they were appended. Their signatures are not checked here; audits verify
/// them again. Claims of the wrong JSON type are absent: the log may contain evidence from before they were refused.
package enum StoredArtifact {
    /// - Throws: the refusal of an unreadable artifact, which indicates damage to the log.
    package static func artifact(_ bytes: [UInt8], kind: ArtifactKind) throws(Refusal) -> SignedArtifact {
        let jws = try JWS(parsing: bytes)
        switch kind {
        case .notification:
            return .notification(try notification(jws))
        case .transaction:
            return .transaction(try payload(jws, Transaction.init))
        case .renewalInfo:
            return .renewalInfo(try payload(jws, RenewalInfo.init))
        case .appTransaction:
            return .appTransaction(
                try payload(jws, AppTransaction.init), ClaimChecks(appAppleIdNotChecked: false))
        }
    }

    private static func notification(_ jws: JWS) throws(Refusal) -> SignedNotification {
        let outer = try payload(jws, Notification.init)
        let claims = outer.payload.payload
        return SignedNotification(
            outer: outer, transaction: try nested(claims.data?.signedTransactionInfo, Transaction.init),
            renewalInfo: try nested(claims.data?.signedRenewalInfo, RenewalInfo.init),
            appTransaction: try nested(claims.appData?.signedAppTransactionInfo, AppTransaction.init),
            claimChecks: ClaimChecks(appAppleIdNotChecked: false))
    }

    private static func nested<Payload>(
        _ bytes: [UInt8]?, _ decode: (JSONView, MistypedClaims) throws(PayloadError) -> Payload
    ) throws(Refusal) -> VerifiedJWS<Payload>? {
        guard let bytes else { return nil }
        return try payload(try JWS(parsing: bytes), decode)
    }

    private static func payload<Payload>(
        _ jws: JWS, _ decode: (JSONView, MistypedClaims) throws(PayloadError) -> Payload
    ) throws(Refusal) -> VerifiedJWS<Payload> {
        let digests = JWSDigests(of: jws)
        do throws(PayloadError) {
            return VerifiedJWS(
                jws: jws, payload: Verified(payload: try decode(jws.payload.root, .absent)),
                proof: Proof(
                    signingInput: digests.signingInput, text: digests.text, verifiedAt: .earliest,
                    hasSigningTime: true, leaf: .zero, root: .zero, isConfiguredRoot: false))
        } catch {
            throw Refusal(payload: error)
        }
    }
}
