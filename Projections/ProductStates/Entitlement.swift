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
    /// The downloads of an app that was paid for, each once.
    package let downloads: [AppAccountKey]
    /// The grants that give the entitlement, ordered by position.
    package let grants: [EntitlementGrant]

    fileprivate init(_ id: Symbol, _ sources: EntitlementSources) {
        let uses = sources.uses.filter { $0.isActive && $0.entitlements.contains(id) }
        self.id = id
        let paid = sources.downloads.filter { $0.entitlements.contains(id) }
        downloads = paid.map(\.account)
        grants = sources.grants.filter { $0.entitlement == id }
        let ends = uses.map(\.until) + paid.map(\.until) + grants.map(\.until)
        until = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        because = Set(uses.map(\.key)).sorted()
    }
}

/// Everything that may give a customer entitlements at an instant.
struct EntitlementSources: Sendable {
    var uses: [ProductUse]
    /// The downloads of paid apps, with their entitlements.
    var downloads: [PaidDownload]
    /// The grants in force.
    var grants: [EntitlementGrant]

    var isEntitled: Bool { uses.contains(where: \.isActive) || !downloads.isEmpty || !grants.isEmpty }

    /// The entitlements, ordered by name.
    var entitlements: [Entitlement] {
        let ids =
            uses.lazy.filter(\.isActive).flatMap(\.entitlements) + downloads.flatMap(\.entitlements)
            + grants.map(\.entitlement)
        return Set(ids).sorted { $0.text < $1.text }.map { Entitlement($0, self) }
    }
}
