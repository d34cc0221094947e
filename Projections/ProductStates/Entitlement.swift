package import LedgerModel
package import Primitives

/// An entitlement of a customer at an instant.
package struct Entitlement: Hashable, Sendable {
    /// The name in the catalogue.
    package let id: Symbol
    /// The end if nothing further is heard; nil if it does not end.
    package let until: Instant?
    /// The keys whose purchases give the entitlement, ascending, each once.
    package let because: [SubscriptionKey]
    /// The grants that give the entitlement, ordered by position.
    package let grants: [EntitlementGrant]

    fileprivate init(_ id: Symbol, _ uses: [ProductUse], _ grants: [EntitlementGrant]) {
        let ends = uses.map(\.until) + grants.map(\.until)
        self.id = id
        until = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        because = Set(uses.map(\.key)).sorted()
        self.grants = grants
    }
}

extension [ProductUse] {
    /// Returns the entitlements that the uses and some grants in force give, ordered by name.
    /// - Parameter names: returns the entitlements of a product.
    func entitlements(_ grants: [EntitlementGrant], _ names: (ProductName) -> [Symbol]) -> [Entitlement] {
        var uses: [Symbol: [ProductUse]] = [:]
        for use in self where use.isActive {
            for name in names(use.product) { uses[name, default: []].append(use) }
        }
        for grant in grants { uses[grant.entitlement, default: []] += [] }
        return uses.map { name, uses in Entitlement(name, uses, grants.filter { $0.entitlement == name }) }
            .sorted { $0.id.text < $1.id.text }
    }
}
