/// The role of an API key's holder. Each route defines the roles that may use it.
package enum Role: String, CaseIterable, Sendable {
    /// A customer's device: posts transactions.
    case app
    /// The business' server: also reads customers, subscriptions and feeds.
    case backend
    /// Reads customers, subscriptions, events and transitions.
    case analyst
    /// Reads everything.
    case auditor
    case admin
}
