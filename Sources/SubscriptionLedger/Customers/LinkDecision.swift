import LedgerModel
import Primitives

/// The customer that transactions are posted for, and the caller who posts them.
struct Submitter: Sendable {
    let customer: CustomerHandle
    /// The external id; nil for a customer named by a handle, and for an unnamed one.
    let name: CustomerName?
    let isAnonymous: Bool
    /// Whether the vault has no entry yet; a customer named by an app is stored with the first link.
    let isProvisional: Bool
    let caller: Caller

    var authority: Claim.Authority { isAnonymous ? .anonymous : caller.authority }

    /// Whether the submitter's posting maps tokens. An app key does not: it is public, and a token outranks every
    /// claim.
    var mapsTokens: Bool { name != nil && caller.role != .app }
}

/// Decides whether a key becomes, or is, the submitter's.
struct LinkDecision {
    enum Verdict: Equatable {
        /// The submitter owns the key, and the log already has the claim.
        case stands
        case links
        case refused
        /// The submitter owned the key only earlier, through a token: nothing is linked or refused.
        case past
    }

    let verdict: Verdict
    /// The merges of anonymous owners into the submitter.
    let merges: [Merge]
    /// The transactions that do not belong to the submitter.
    let refused: [PostedTransaction]

    /// - Parameters:
    ///   - transactions: the posted transactions of the key; empty when an operator links it.
    ///   - evidence: the evidence about the key, including these transactions.
    ///   - roster: the merges and tokens of all customers in `evidence`, and the tokens that the posting maps.
    ///   - anonymous: the anonymous customers among the owners.
    ///   - sharesAccount: whether a transaction states an appTransactionId already stored for the key.
    init(
        _ transactions: [PostedTransaction], on evidence: OwnershipEvidence, by submitter: Submitter,
        roster: CustomerRoster, anonymous: Set<CustomerHandle>, sharesAccount: Bool,
        rule: Rules.Customers.ClaimConflict
    ) {
        // At `.latest` every token counts: signing times may be ahead of this clock.
        let before = Ownership(evidence, at: .latest, roster: roster, rule: rule)
        let givingWay = anonymous.subtracting([submitter.customer]).sorted { $0.value < $1.value }
        merges =
            submitter.isAnonymous && !sharesAccount
            ? []
            : givingWay.map {
                Merge(customer: $0, into: submitter.customer, by: submitter.authority, position: .max)
            }
        var claimed = evidence
        claimed.claims.append(
            Claim(key: evidence.key, customer: submitter.customer, by: submitter.authority, position: .max))
        var merged = roster
        for merge in merges { merged.add(.merge(merge)) }
        let after = Ownership(claimed, at: .latest, roster: merged, rule: rule)
        let own = evidence.claims.map(roster.standing(of:)).filter { $0.customer == submitter.customer }
        guard after.isOwned(by: submitter.customer) else {
            refused = transactions.filter { !$0.isBoughtBy(submitter.customer, roster) }
            verdict = refused.isEmpty && !transactions.isEmpty ? .past : .refused
            return
        }
        refused = []
        let isClaimed = own.contains { $0.authority >= submitter.authority }
        verdict = before.isOwned(by: submitter.customer) && isClaimed ? .stands : .links
    }
}

extension PostedTransaction {
    /// Whether all its tokens, of which there is at least one, belong to this customer.
    fileprivate func isBoughtBy(_ customer: CustomerHandle, _ roster: CustomerRoster) -> Bool {
        !tokens.isEmpty && tokens.allSatisfy { roster.customer(of: $0) == customer }
    }
}
