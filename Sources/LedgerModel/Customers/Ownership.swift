package import Primitives

/// Who a key belongs to. A fold of the claims to it and of the tokens its purchases carry: in which order they came
/// to be known decides nothing, only where they stand.
package struct Ownership: Hashable, Sendable {
    /// One, unless the rule is `share`; none when nobody claims the key.
    package let owners: Set<Owner>
    /// Whether the token changed from one customer's to another's, and the key stayed where it was.
    package let hasTokenConflict: Bool

    package enum Owner: Hashable, Sendable {
        case customer(CustomerHandle)
        /// Somebody whom only the purchase names so far.
        case bearer(AppAccountToken)
    }

    /// - Parameters:
    ///   - claims: of one key.
    ///   - tokens: of the same key, none for a family member's: the token would be the purchaser's.
    ///   - t: a token counts from the time Apple signed it.
    package init(
        claims: [Claim], tokens: StepField<AppAccountToken>, at t: Instant, roster: CustomerRoster,
        rule: Rules.Customers.ClaimConflict
    ) {
        let links = claims.sorted { $0.position < $1.position }.map { claim in
            Candidate(.customer(roster.customer(of: claim.customer)), .link(claim.authority(in: roster)))
        }
        let bearers = tokens.values(upTo: t).map { token in
            roster.customer(of: token).map { Candidate(.customer($0), .appAccountToken) }
                ?? Candidate(.bearer(token), .bearer)
        }
        let candidates = links + bearers
        let strongest = candidates.map(\.strength).max()
        let equals = candidates.filter { $0.strength == strongest }.map(\.owner)
        owners =
            switch rule {
            case .keepFirst: Set(equals.prefix(1))
            case .move: Set(equals.suffix(1))
            case .share: Set(equals)
            }
        hasTokenConflict =
            rule != .move && Set(bearers.filter { $0.strength == .appAccountToken }.map(\.owner)).count > 1
    }

    package func isOwned(by customer: CustomerHandle) -> Bool {
        owners.contains(.customer(customer))
    }
}

/// Why somebody may own a key, and how strong that is against others.
private struct Candidate {
    let owner: Ownership.Owner
    let strength: ClaimStrength

    init(_ owner: Ownership.Owner, _ strength: ClaimStrength) {
        self.owner = owner
        self.strength = strength
    }
}

/// Weakest first, as compared. Stronger ones win, and the rule `claimConflict` decides between equals.
private enum ClaimStrength: Comparable {
    /// A token that no customer is known by.
    case bearer
    case link(Claim.Authority)
    /// A token that a customer is known by.
    case appAccountToken
}

extension StepField {
    /// Every value stated by `t`, oldest first; before the first one the first.
    fileprivate func values(upTo t: Instant) -> [Value] {
        let stated = steps.filter { $0.source.time <= t }
        return (stated.isEmpty ? Array(steps.prefix(1)) : stated).map(\.value)
    }
}
