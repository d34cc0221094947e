package import AppStoreModel
package import Primitives

/// An artifact of a simulated App Store before signing. Signing is expensive, so the caller does it on demand. Signing
/// twice gives the same bytes.
package struct StoreArtifact: Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case notification, transaction, renewalInfo, appTransaction
    }

    package let kind: Kind
    package let signedDate: Instant
    /// Nil when never delivered. Only notifications can be delivered later than they are signed.
    package var deliveredDate: Instant?
    package let change: ChangeKind
    /// The instant from which the change is true.
    let changeDate: Instant
    package let customer: Int?
    package let originalTransactionId: String?
    /// Whether it states the whole purchase, even if earlier artifacts were lost.
    let tellsAll: Bool
    let content: Content

    enum Content: Sendable {
        /// The payload to sign, as JSON.
        case alone([UInt8])
        /// The notification and the payloads of its nested JWS, as JSON.
        case notification(NotificationContent, PayloadWriter, transaction: [UInt8]?, renewalInfo: [UInt8]?)
    }
}

extension StoreArtifact {
    /// Nil unless a notification.
    package var notificationType: NotificationType? { notification?.type }
    package var subtype: Subtype? { notification?.subtype }
    package var notificationUUID: String? { notification?.uuid }

    /// Returns the notification as Apple sends it again: only its own signing date differs.
    package func sentAgain(at instant: Instant) -> StoreArtifact {
        StoreArtifact(
            kind: kind, signedDate: instant, deliveredDate: instant, change: change, changeDate: changeDate,
            customer: customer, originalTransactionId: originalTransactionId, tellsAll: tellsAll, content: content)
    }

    /// The transaction that it is or, as a notification, states; nil when it states none.
    package var transactionId: String? {
        let transaction: [UInt8]? =
            switch content {
            case .alone(let payload): kind == .transaction ? payload : nil
            case .notification(_, _, let transaction, _): transaction
            }
        guard let transaction else { return nil }
        return (try? JSONDocument(parsing: transaction))?.root["transactionId"]?.string
    }

    var notification: NotificationContent? {
        if case .notification(let notification, _, _, _) = content { notification } else { nil }
    }
}

package struct SignedStoreArtifact: Sendable {
    package let unsigned: StoreArtifact
    package let jws: SignedJWS
    /// The nested transaction; nil unless a notification.
    package let transaction: SignedJWS?
    package let renewalInfo: SignedJWS?

    /// The request body that the App Store posts; nil unless a notification.
    package var body: [UInt8]? {
        unsigned.kind == .notification ? JSONValue.object(["signedPayload": .string(jws.text)]).bytes : nil
    }
}

extension JWSSigner {
    /// - Parameter nested: the signer of the nested JWS; nil for this signer.
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
