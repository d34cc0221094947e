package import AppStoreModel
package import Primitives

/// The content of a notification itself: the reason it was sent, and the digests of the signed payloads it carries.
package struct NotificationFact: Hashable, Sendable {
    package var notificationType: NotificationType?
    package var subtype: Subtype?
    /// The same on every retry.
    package var notificationUUID: String?
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
