package import AppStoreModel

/// The true state of one purchase at one instant, with its identifiers.
package struct TruthRow: Hashable, Sendable {
    package let environment: Environment
    package let bundleId: String
    package let originalTransactionId: String
    package let customer: Int
    package let ownership: InAppOwnershipType
    package let state: TruthState
    /// Whole days of paid service in the subscription group up to the instant; see `PaidService`.
    package let paidDays: Int64
}
