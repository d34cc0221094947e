package import Primitives

/// A change in a simulated App Store.
package struct StoreChange: Sendable {
    package let kind: ChangeKind
    /// The instant from which it is true.
    package let date: Instant
    /// The signing date of the artifacts that state it, at or after `date`.
    package let signedDate: Instant
    /// The instant from which it can be known: `signedDate`, or later where only the passage of time shows it.
    package let settledDate: Instant
    package let customer: Int?
    package let originalTransactionId: String?
}
