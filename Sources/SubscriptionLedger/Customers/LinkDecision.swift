import LedgerModel
import Primitives

/// The customer that transactions are posted for, and the caller who posts them.
struct Submitter: Sendable {
    let customer: CustomerHandle
    /// Nil for a customer who is named by a handle, or by nothing.
    let name: CustomerName?
    let isAnonymous: Bool
    /// Whether the vault does not have the customer yet. An app's customer enters it with the first link only.
    let isProvisional: Bool
    let caller: Caller

    var authority: Claim.Authority { isAnonymous ? .anonymous : caller.authority }

    /// An app's word maps no token: its key is in anybody's hands, and a token outranks every claim.
    var mapsTokens: Bool { name != nil && caller.role != .app }
}

/// Decides whether a key becomes, or is, the submitter's.
struct LinkDecision {
    enum Verdict: Equatable {
        /// It is the submitter's, and the log says so already.
        case stands
        case links
        case refused
        /// Only the past is the submitter's, as their token says: there is nothing to link or to refuse.
        case past
    }

    let verdict: Verdict
    /// Anonymous owners who give way and become the submitter.
    let merges: [Merge]
    /// The transactions that are not the submitter's.
    let refused: [PostedTransaction]

    /// - Parameters:
    ///   - transactions: posted for the key; none when an operator links it.
    ///   - evidence: about the key, these transactions included.
    ///   - roster: with everybody who has to do with the key, and the tokens that the submitter's word maps.
    ///   - anonymous: the anonymous customers among the owners.
    ///   - sharesAccount: whether a transaction states an appTransactionId that the key had before.
    init(
        _ transactions: [PostedTransaction], on evidence: OwnershipEvidence, by submitter: Submitter,
        roster: CustomerRoster, anonymous: Set<CustomerHandle>, sharesAccount: Bool,
        rule: Rules.Customers.ClaimConflict
    ) {
        // All that is known counts: postings are about now, and signing times may run ahead of our clock.
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
    /// Whether it was bought with tokens of this customer.
    fileprivate func isBoughtBy(_ customer: CustomerHandle, _ roster: CustomerRoster) -> Bool {
        !tokens.isEmpty && tokens.allSatisfy { roster.customer(of: $0) == customer }
    }
}
