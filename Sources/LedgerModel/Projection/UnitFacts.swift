/// The facts that a projection folds together: those of keys that Apple accounts or migrations join.
package struct UnitFacts: Sendable {
    package let timelines: [SubscriptionKey: Timeline]
    /// The events about the customers of the keys. Empty unless the projection reads them.
    package let customers: CustomerHistory

    package init(timelines: [SubscriptionKey: Timeline], customers: CustomerHistory = CustomerHistory([])) {
        self.timelines = timelines
        self.customers = customers
    }

    package var lineages: [Lineage] { Lineage.components(of: timelines) }
}
