package import AppStoreModel
package import Primitives

/// What a simulated App Store means to sign. Signing is the expensive step, so it is left to whoever needs the bytes;
/// signed twice, it gives the same bytes.
package struct StoreArtifact: Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case notification, transaction, renewalInfo, appTransaction
    }

    package let kind: Kind
    package let signedDate: Instant
    /// Nil: never. Only notifications come at another time than they are signed.
    package var deliveredDate: Instant?
    package let change: ChangeKind
    /// From when on the change is true.
    let changeDate: Instant
    package let customer: Int?
    package let originalTransactionId: String?
    /// Whether whoever gets it knows all of the purchase, whatever was lost before.
    let tellsAll: Bool
    let content: Content

    enum Content: Sendable {
        /// The JSON to sign.
        case alone([UInt8])
        /// The JSON of what is nested.
        case notification(NotificationContent, PayloadWriter, transaction: [UInt8]?, renewalInfo: [UInt8]?)
    }
}

extension StoreArtifact {
    /// Notifications only.
    package var notificationType: NotificationType? { notification?.type }
    package var subtype: Subtype? { notification?.subtype }

    private var notification: NotificationContent? {
        if case .notification(let notification, _, _, _) = content { notification } else { nil }
    }
}

package struct SignedStoreArtifact: Sendable {
    package let unsigned: StoreArtifact
    package let jws: SignedJWS
    /// What is nested, notifications only.
    package let transaction: SignedJWS?
    package let renewalInfo: SignedJWS?

    /// What the App Store posts, notifications only.
    package var body: [UInt8]? {
        unsigned.kind == .notification ? JSONValue.object(["signedPayload": .string(jws.text)]).bytes : nil
    }
}

extension JWSSigner {
    /// - Parameter nested: signs what the notification holds, this signer itself unless another is given.
    package func sign(_ artifact: StoreArtifact, nestedBy nested: JWSSigner? = nil) -> SignedStoreArtifact {
        let nested = nested ?? self
        switch artifact.content {
        case .alone(let payload):
            return SignedStoreArtifact(unsigned: artifact, jws: sign(payload), transaction: nil, renewalInfo: nil)
        case .notification(let content, let writer, let transactionPayload, let renewalInfoPayload):
            let transaction = transactionPayload.map { nested.sign($0) }
            let renewalInfo = renewalInfoPayload.map { nested.sign($0) }
            let payload = writer.notification(
                content, signedDate: artifact.signedDate, transaction: transaction?.text, renewalInfo: renewalInfo?.text
            )
            return SignedStoreArtifact(
                unsigned: artifact, jws: sign(.object(payload)), transaction: transaction, renewalInfo: renewalInfo)
        }
    }
}
