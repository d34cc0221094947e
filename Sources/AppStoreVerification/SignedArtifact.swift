package import AppStoreModel
package import Primitives

/// One verified JWS: its text, its payload, and the proof of its signature.
package struct VerifiedJWS<Payload: Sendable>: Sendable {
    package let jws: JWS
    package let payload: Verified<Payload>
    package let proof: Proof
}

/// The record of a signature check, sufficient to repeat it.
package struct Proof: Sendable, Hashable {
    /// SHA-256 of the signed bytes: `header.payload` of a JWS, the content of a receipt.
    package let signingInput: Digest
    /// SHA-256 of the evidence, the whole artifact.
    package let text: Digest
    /// The instant for which the chain was checked: the signing time, or the fallback time where there is none.
    package let verifiedAt: Instant
    /// Whether `verifiedAt` is the payload's own signing time. A payload without a signing time is never appended.
    package let hasSigningTime: Bool
    /// Fingerprints of the certificates; `root` is the anchor used.
    package let leaf: Digest
    package let root: Digest
    package let isConfiguredRoot: Bool

    /// The payload's own signing time.
    package var signingTime: Instant? { hasSigningTime ? verifiedAt : nil }
}

/// A notification with its nested JWS, each verified by itself.
package struct SignedNotification: Sendable {
    package let outer: VerifiedJWS<Notification>
    package let transaction: VerifiedJWS<Transaction>?
    package let renewalInfo: VerifiedJWS<RenewalInfo>?
    package let appTransaction: VerifiedJWS<AppTransaction>?
    package let claimChecks: ClaimChecks

    /// Whether any of its signatures rests on a root that an operator configured.
    package var restsOnConfiguredRoot: Bool {
        [outer.proof, transaction?.proof, renewalInfo?.proof, appTransaction?.proof]
            .contains { $0?.isConfiguredRoot == true }
    }
}

/// The recorded findings of the claim checks.
package struct ClaimChecks: Sendable, Hashable {
    /// Whether a Production payload was accepted because no appAppleId is configured for comparison.
    package let appAppleIdNotChecked: Bool
}

/// A verified artifact of any kind that the App Store signs.
///
/// Indirect, because a payload with its dozens of fields is too large to copy from step to step.
package indirect enum SignedArtifact: Sendable {
    case notification(SignedNotification)
    case transaction(VerifiedJWS<Transaction>)
    case renewalInfo(VerifiedJWS<RenewalInfo>)
    case appTransaction(VerifiedJWS<AppTransaction>, ClaimChecks)
    case receipt(VerifiedReceipt)

    package var kind: ArtifactKind {
        switch self {
        case .notification: .notification
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        case .receipt: .receipt
        }
    }

    package var proof: Proof {
        switch self {
        case .notification(let notification): notification.outer.proof
        case .transaction(let signed): signed.proof
        case .renewalInfo(let signed): signed.proof
        case .appTransaction(let signed, _): signed.proof
        case .receipt(let receipt): receipt.proof
        }
    }

    /// Nil for a receipt.
    package var jws: JWS? {
        switch self {
        case .notification(let notification): notification.outer.jws
        case .transaction(let signed): signed.jws
        case .renewalInfo(let signed): signed.jws
        case .appTransaction(let signed, _): signed.jws
        case .receipt: nil
        }
    }
}

package enum ArtifactKind: String, Sendable, CaseIterable {
    case notification
    case transaction
    case renewalInfo = "renewal-info"
    case appTransaction = "app-transaction"
    case receipt

    /// Creates the kind that an artifact claims, unverified; nil when it is not well-formed, or of no known kind.
    package init?(claimedBy artifact: [UInt8]) {
        if ReceiptBytes.isReceipt(artifact) {
            self = .receipt
        } else {
            guard let jws = try? JWS(parsing: artifact), let kind = try? Self.detect(in: jws.payload.root) else {
                return nil
            }
            self = kind
        }
    }

    /// Returns the kind of a payload, based on claims that only this kind has.
    /// - Throws: `kind_unknown`.
    static func detect(in payload: JSONView) throws(Refusal) -> ArtifactKind {
        if payload["notificationType"] != nil { return .notification }
        if payload["receiptType"] != nil { return .appTransaction }
        if payload["transactionId"] != nil || payload["type"] != nil { return .transaction }
        if payload["autoRenewProductId"] != nil || payload["autoRenewStatus"] != nil { return .renewalInfo }
        if payload["bundleId"] != nil { return .transaction }
        throw Refusal(
            .kindUnknown, "unknown payload kind",
            expected: "notificationType, receiptType, transactionId, type, autoRenewProductId or bundleId",
            found: "none of them")
    }
}
