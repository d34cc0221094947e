/// An Apple Account in a simulated App Store.
package struct CustomerID: Hashable, Sendable {
    /// Position in the store.
    let index: Int
}

struct Customer: Sendable {
    /// The number by which the truth knows the account, over all stores of a simulation.
    let number: Int
    let storefront: Storefront
    let appTransactionId: String
    var appAccountToken: String?
    /// Whether charges to the account are declined at present.
    var billingFails = false
    /// How a failed renewal is signed, and how many milliseconds after the end of the period.
    var failure: (grace: GraceSignature, delay: Int64) = (.documented, 0)
    /// Group -> transaction that used up its introductory offer.
    var introConsumed: [String: String] = [:]
}
