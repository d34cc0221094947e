package import Primitives

/// Something that happened in a simulated App Store.
package struct StoreChange: Sendable {
    package let kind: ChangeKind
    /// From when on it is true.
    package let date: Instant
    /// When all that speaks of it was signed: `date` or shortly after.
    package let signedDate: Instant
    package let customer: Int?
    package let originalTransactionId: String?
}
