import LedgerModel
import Primitives

/// The timelines that an owner may own at some instant, with the evidence about their owners.
struct CustomerTimelines: Sendable {
    let owner: Ownership.Owner
    private(set) var lineages: [Lineage]
    /// The evidence about each key.
    let evidence: [OwnershipEvidence]
    /// The one-time purchases of the keys that have any.
    private(set) var purchases: [SubscriptionKey: [OneTimePurchase]]
    /// The downloads that the owner may own.
    let downloads: [AppDownload]
    /// The grants to every handle of the customer.
    let grants: [EntitlementGrant]
    let directory: CustomerDirectory
    /// The purchases and revocations of each key that Apple signed later than the question permits.
    var signedLater: [SubscriptionKey: Int] = [:]
    /// The timelines of all keys when only the catalogue knows the type of a purchase; otherwise empty.
    private let untyped: [SubscriptionKey: Timeline]

    /// - Parameter timelines: those of every key that the owner may own, and of every related key.
    init(
        of owner: Ownership.Owner, _ timelines: [SubscriptionKey: Timeline], evidence: [OwnershipEvidence],
        downloads: [AppDownload], grants: [EntitlementGrant], directory: CustomerDirectory
    ) {
        (self.owner, self.evidence, self.downloads) = (owner, evidence, downloads)
        (self.grants, self.directory) = (grants, directory)
        (lineages, purchases) = Self.folded(timelines)
        untyped = timelines.values.contains(where: \.lacksTypes) ? timelines : [:]
    }

    /// Returns the timelines with the types that the catalogues have for purchases whose type no source states.
    func typed(by catalogs: [Symbol: CatalogHistory]) -> CustomerTimelines {
        guard !untyped.isEmpty else { return self }
        var typed = self
        (typed.lineages, typed.purchases) = Self.folded(untyped.typed(by: catalogs))
        return typed
    }

    private static func folded(
        _ timelines: [SubscriptionKey: Timeline]
    ) -> ([Lineage], [SubscriptionKey: [OneTimePurchase]]) {
        (Lineage.components(of: timelines), timelines.mapValues(OneTimePurchase.all).filter { !$0.value.isEmpty })
    }
}

/// The subscriptions that belong to the owner at an instant, and all lineages that they may be part of.
struct OwnedSubscriptions {
    let lineages: [Lineage]
    private(set) var keys: Set<SubscriptionKey> = []
    /// The one-time purchases of owned keys.
    private(set) var purchases: [SubscriptionKey: [OneTimePurchase]] = [:]
    /// The owned downloads of apps.
    private(set) var downloads: [AppDownload] = []
    /// The conflicts in which the owner is a party, ordered by key.
    private(set) var conflicts: [OwnershipConflict] = []

    /// The owned keys with their histories, ordered by key.
    var subscriptions: [Subscription] {
        lineages.flatMap(\.subscriptions).filter { keys.contains($0.key) }.sorted { $0.key < $1.key }
    }

    /// - Parameter timelines: nil for an unused id.
    init(of timelines: CustomerTimelines?, at t: Instant, rules: Rules, scope: CustomerScope) {
        lineages = timelines?.lineages ?? []
        guard let timelines else { return }
        for evidence in timelines.evidence where scope.contains(evidence.key) {
            let ownership = Ownership(
                evidence, at: t, directory: timelines.directory, rule: rules.customers.claimConflict)
            if ownership.owners.contains(timelines.owner) {
                keys.insert(evidence.key)
                purchases[evidence.key] = timelines.purchases[evidence.key]
            }
            conflicts += OwnershipConflict.conflicts(over: evidence, ownership, directory: timelines.directory)
                .filter { $0.owner == timelines.owner || .customer($0.claimant) == timelines.owner }
        }
        if case .customer(let customer) = timelines.owner {
            downloads = timelines.downloads.filter { download in
                scope.contains(download.account)
                    && download.owners(timelines.directory, rules.customers.claimConflict).contains(customer)
            }
        }
        conflicts.sort { ($0.key, $0.claimant.value) < ($1.key, $1.claimant.value) }
    }
}
