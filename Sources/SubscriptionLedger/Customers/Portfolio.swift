import LedgerModel
import Primitives

/// Everything that may be an owner's, before an instant is named.
struct Portfolio: Sendable {
    /// What decides whose a key is.
    struct Title: Sendable {
        let key: SubscriptionKey
        let claims: [Claim]
        let tokens: StepField<AppAccountToken>
    }

    let owner: Ownership.Owner
    let lineages: [Lineage]
    let titles: [Title]
    let roster: CustomerRoster
    let observationCount: Int
}

/// What is an owner's at an instant, with all it may be joined with.
struct Holdings {
    let lineages: [Lineage]
    private(set) var owned: Set<SubscriptionKey> = []
    /// Keys whose token changed to another customer's, or from one.
    private(set) var tokenConflicts: [SubscriptionKey] = []

    /// - Parameter portfolio: nil of whom nothing is known.
    init(of portfolio: Portfolio?, _ question: Question) {
        lineages = portfolio?.lineages ?? []
        guard let portfolio else { return }
        for title in portfolio.titles {
            let ownership = Ownership(
                claims: title.claims, tokens: title.tokens, at: question.asOf, roster: portfolio.roster,
                rule: question.rules.customers.claimConflict)
            guard ownership.owners.contains(portfolio.owner) else { continue }
            owned.insert(title.key)
            if ownership.hasTokenConflict { tokenConflicts.append(title.key) }
        }
        tokenConflicts.sort()
    }
}
