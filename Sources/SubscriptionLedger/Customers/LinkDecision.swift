import LedgerModel
import Primitives

/// The customer for which transactions are posted, and the caller that posts them.
struct Submitter: Sendable {
    let customer: CustomerHandle
    /// The external id; nil for a customer named by a handle only, and for an unnamed one.
    let name: ExternalCustomerID?
    let isAnonymous: Bool
    /// Whether the vault has no entry yet. A customer named by an app is stored with its first link.
    let isProvisional: Bool
    let caller: Caller

    var authority: Claim.Authority { isAnonymous ? .anonymous : caller.authority }

    /// Whether the submitter's posting maps tokens. A posting with an app key does not: the key is public, and a token
    /// outranks every claim.
    var mapsTokens: Bool { name != nil && caller.role != .app }
}

/// Decides whether a submitter owns a key, is linked to it, or is refused.
struct LinkDecision {
    enum Verdict: Equatable {
        /// The submitter owns the key, and the log already contains the claim.
        case stands
        case links
        case refused
        /// The submitter owned the key only earlier, through a token. Nothing is linked or refused.
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
    ///   - directory: the merges and tokens of all customers in `evidence`, and the tokens that the posting maps.
    ///   - anonymous: the anonymous customers among the owners.
    ///   - sharesAccount: whether a transaction states an appTransactionId already stored for the key.
    init(
        _ transactions: [PostedTransaction], on evidence: OwnershipEvidence, by submitter: Submitter,
        directory: CustomerDirectory, anonymous: Set<CustomerHandle>, sharesAccount: Bool,
        rule: Rules.Customers.ClaimConflict
    ) {
        // At `.latest` every token applies, also those with a signing time ahead of this clock.
        let before = Ownership(evidence, at: .latest, directory: directory, rule: rule)
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
        var merged = directory
        for merge in merges { merged.add(.merge(merge)) }
        let after = Ownership(claimed, at: .latest, directory: merged, rule: rule)
        let own = evidence.claims.map { directory.standing(of: $0.statement) }.filter {
            $0.customer == submitter.customer
        }
        guard after.isOwned(by: submitter.customer) else {
            refused = transactions.filter { !$0.isBoughtBy(submitter.customer, directory) }
            verdict = refused.isEmpty && !transactions.isEmpty ? .past : .refused
            return
        }
        refused = []
        let isClaimed = own.contains { $0.authority >= submitter.authority }
        verdict = before.isOwned(by: submitter.customer) && isClaimed ? .stands : .links
    }
}

extension PostedTransaction {
    /// Whether the transaction has tokens and all of them belong to this customer.
    fileprivate func isBoughtBy(_ customer: CustomerHandle, _ directory: CustomerDirectory) -> Bool {
        !tokens.isEmpty && tokens.allSatisfy { directory.customer(of: $0) == customer }
    }
}
