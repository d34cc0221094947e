/// What the holder of an API key may do; each route says which roles it is for.
package enum Role: String, CaseIterable, Sendable {
    /// A customer's device: posts transactions.
    case app
    /// The business' server: also asks about customers and subscriptions.
    case backend
    /// Reads projections, events and transitions.
    case analyst
    /// Reads everything.
    case auditor
    case admin
}
