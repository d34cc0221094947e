import LedgerModel
import Primitives

/// The timelines that an owner may own at some instant, with the evidence about their owners.
struct Portfolio: Sendable {
    let owner: Ownership.Owner
    let lineages: [Lineage]
    /// The evidence about each key.
    let evidence: [OwnershipEvidence]
    /// The one-time purchases of the keys that have any.
    let purchases: [SubscriptionKey: [OneTimePurchase]]
    let roster: CustomerRoster
    let observationCount: Int
}

/// The keys of a portfolio that belong to the owner at an instant, with all lineages of the portfolio.
struct Holdings {
    let lineages: [Lineage]
    private(set) var owned: Set<SubscriptionKey> = []
    /// The one-time purchases of owned keys.
    private(set) var purchases: [SubscriptionKey: [OneTimePurchase]] = [:]
    /// The conflicts in which the owner is a party, ordered by key.
    private(set) var conflicts: [OwnershipConflict] = []

    /// - Parameter portfolio: nil for an unused id.
    init(of portfolio: Portfolio?, at t: Instant, rules: Rules, scope: CustomerScope) {
        lineages = portfolio?.lineages ?? []
        guard let portfolio else { return }
        for evidence in portfolio.evidence where scope.contains(evidence.key) {
            let ownership = Ownership(
                evidence, at: t, roster: portfolio.roster, rule: rules.customers.claimConflict)
            if ownership.owners.contains(portfolio.owner) {
                owned.insert(evidence.key)
                purchases[evidence.key] = portfolio.purchases[evidence.key]
            }
            conflicts += OwnershipConflict.conflicts(over: evidence, ownership, roster: portfolio.roster)
                .filter { $0.owner == portfolio.owner || .customer($0.claimant) == portfolio.owner }
        }
        conflicts.sort { ($0.key, $0.claimant.value) < ($1.key, $1.claimant.value) }
    }
}
