import Primitives

/// The identifier of an Apple Account in a simulated App Store.
package struct CustomerID: Hashable, Sendable {
    /// The position in the store.
    let index: Int
}

struct Customer: Sendable {
    /// The number of the account in the truth, unique across all stores of a simulation.
    let number: Int
    let storefront: Storefront
    let appTransactionId: String
    /// The first download of the app.
    let downloadedAt: Instant
    var appAccountToken: String?
    /// Whether charges to the account are currently declined.
    var billingFails = false
    /// The form in which a failed renewal is signed, and the delay in milliseconds after the end of the period.
    var failure: (grace: GraceSignature, delay: Int64) = (.documented, 0)
    /// Group -> the transaction that used up its introductory offer.
    var introConsumed: [String: String] = [:]
}
