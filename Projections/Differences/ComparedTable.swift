/// A table of answers in which sets of assumptions are compared.
package enum ComparedTable: String, Sendable, CaseIterable {
    /// The states of subscriptions.
    case access
    /// The customers of subscriptions.
    case owners
    /// The entitlements of customers.
    case entitlements
    /// The eligibility of customers for introductory offers.
    case offers
    case cohorts, churn, segments, revenue
    /// The customers to whom a subscription gives access.
    case customers
    case recurringRevenue

    /// The tables whose values are sums over all subscribers.
    package static let numbers: Set<ComparedTable> = [.cohorts, .churn, .segments, .revenue, .recurringRevenue]
}
