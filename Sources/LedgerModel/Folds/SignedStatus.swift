package import AppStoreModel
package import Primitives

/// A `data.status` of a notification: evidence, like the renewal info in the same notification.
package struct SignedStatus: Hashable, Sendable {
    package let code: SubscriptionStatusCode
    /// The signedDate of the renewal info that the notification carries, else of its transaction, else its own. A retry
    /// signs the notification again, but its status is the old one.
    package let time: Instant
    /// The notification.
    package let source: Source
}
