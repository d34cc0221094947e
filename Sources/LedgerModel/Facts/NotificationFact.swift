package import AppStoreModel
package import Primitives

/// The content of a notification itself: the reason it was sent, and the digests of the signed payloads it carries.
/// Also a status in an answer of the App Store Server API, which has no reason.
package struct NotificationFact: Hashable, BitwiseCopyable, Sendable {
    package var notificationType: NotificationType?
    package var subtype: Subtype?
    /// The same on every retry.
    package var notificationUUID: NotificationUUID?
    /// `data.status`: evidence, not state.
    package var status: SubscriptionStatusCode?
    package var consumptionRequestReason: ConsumptionRequestReason?
    /// The digests of the signing inputs of the carried payloads, which are the names of those observations.
    package var signedTransactionInfo: Digest?
    package var signedRenewalInfo: Digest?
    package var signedAppTransactionInfo: Digest?

    package init() {}

    package func carries(_ digest: Digest) -> Bool {
        signedTransactionInfo == digest || signedRenewalInfo == digest || signedAppTransactionInfo == digest
    }
}

/// The id that Apple gives a notification and repeats in its retries.
package struct NotificationUUID: Hashable, BitwiseCopyable, Sendable {
    package let bytes: UUIDBytes

    package init(bytes: UUIDBytes) {
        self.bytes = bytes
    }

    /// Keeps the UUID; any other text is represented by its digest.
    package init(_ text: String) {
        bytes = UUIDBytes(text) ?? UUIDBytes(value: Digest.sha256(of: text.utf8).firstHalf)
    }
}

extension NotificationUUID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        self.init(text)
    }
}
