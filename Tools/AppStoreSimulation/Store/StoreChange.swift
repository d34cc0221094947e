package import Primitives

/// Something that happened in a simulated App Store.
package struct StoreChange: Sendable {
    package let kind: ChangeKind
    /// From when on it is true.
    package let date: Instant
    /// When all that speaks of it was signed: `date` or some time after.
    package let signedDate: Instant
    /// From when on it can be known: `signedDate`, unless it is time that tells.
    package let settledDate: Instant
    package let customer: Int?
    package let originalTransactionId: String?
}
