package import AppStoreModel

/// What is so of one purchase at one instant, as the App Store would say it.
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
