package import AppStoreModel
package import Primitives

/// A `data.status` of a notification: evidence like the renewal info it came with.
package struct SignedStatus: Hashable, Sendable {
    package let code: SubscriptionStatusCode
    /// The signedDate of the renewal info that the notification carries, else of its transaction: a retry signs the
    /// notification again, and its status is the old one.
    package let time: Instant
    /// The notification.
    package let source: Source
}
