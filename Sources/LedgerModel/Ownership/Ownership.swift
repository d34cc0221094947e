package import Primitives

/// The evidence about the owner of one key.
package struct OwnershipEvidence: Hashable, Sendable {
    package let key: SubscriptionKey
    package var claims: [Claim]
    package var refusedClaims: [Claim]
    package var transfers: [Transfer]
    /// Empty for a family member's key, since its token is that of the purchaser.
    package var tokens: AppAccountTokenSteps

    /// - Parameter timeline: the timeline of the key.
    package init(
        key: SubscriptionKey, timeline: Timeline, claims: [Claim] = [], refusedClaims: [Claim] = [],
        transfers: [Transfer] = []
    ) {
        self.key = key
        self.claims = claims
        self.refusedClaims = refusedClaims
        self.transfers = transfers
        tokens = AppAccountTokenSteps(timeline.isFamilyShared ? Timeline() : timeline)
    }

    /// Returns the evidence with all tokens, and the claims and transfers known when the log contained `size` events.
    package func decided(below size: Position) -> OwnershipEvidence {
        var evidence = self
        evidence.claims.removeAll { $0.position >= size }
        evidence.refusedClaims.removeAll { $0.position >= size }
        evidence.transfers.removeAll { $0.position >= size }
        return evidence
    }

    /// Returns the evidence that no transfer to an erased customer has settled: without that transfer, and without the
    /// claims and tokens before it.
    func withoutErased(_ directory: CustomerDirectory) -> OwnershipEvidence {
        guard let transfer = newestTransfer, directory.isErased(transfer.customer) else { return self }
        var evidence = self
        evidence.transfers = []
        evidence.claims.removeAll { $0.position < transfer.position }
        evidence.tokens = tokens.stated(from: transfer.position)
        return evidence
    }

    /// The transfer that decides; nil when there is none.
    package var newestTransfer: Transfer? { transfers.max { $0.position < $1.position } }

    /// The refused claims that no transfer has settled. A transfer settles the claims refused before it.
    package var unsettledClaims: [Claim] {
        guard let settled = newestTransfer?.position else { return refusedClaims }
        return refusedClaims.filter { $0.position > settled }
    }

    /// The newest position of a claim or a transfer.
    package var newestDecision: Position? {
        (claims.map(\.position) + transfers.map(\.position)).max()
    }
}

/// The owner of a key at an instant (domain-rules §11). A transfer comes first, then a signed token, then the strongest
/// claim, then a token that Apple states without a signature.
package struct Ownership: Hashable, Sendable {
    /// One owner, or several under the rule `share`; empty for an unclaimed key.
    package let owners: Set<Owner>
    /// The statement that decides; nil for an unclaimed key.
    package let basis: Basis?

    /// The statement that decides who owns a key.
    package struct Basis: Hashable, Sendable {
        package enum Strength: String, Sendable, CaseIterable {
            case transfer, token, backend, app, anonymous
            /// A token that Apple states without a signature.
            case unsignedToken
        }

        package let strength: Strength
        package let position: Position
    }

    package enum Owner: Hashable, Sendable {
        case customer(CustomerHandle)
        /// The customer whose id is the token itself, since no customer was mapped to it.
        case bearer(AppAccountToken)
    }

    /// - Parameters:
    ///   - directory: the merges of the customers and the customers of the tokens in `evidence`.
    ///   - t: selects the token. Transfers and claims apply at every instant.
    package init(
        _ evidence: OwnershipEvidence, at t: Instant, directory: CustomerDirectory, rule: Rules.Customers.ClaimConflict
    ) {
        let evidence = evidence.withoutErased(directory)
        if let transfer = evidence.newestTransfer {
            owners = [.customer(directory.customer(of: transfer.customer))]
            basis = Basis(strength: .transfer, position: transfer.position)
        } else if let step = evidence.tokens.signed.newest(at: t) {
            owners = [directory.owner(of: step.token)]
            basis = Basis(strength: .token, position: step.source.position)
        } else if let claimants = Self.claimants(evidence.claims.map(\.statement), directory, rule).stated {
            owners = Set(claimants.map(Owner.customer))
            basis = Basis(strongestOf: evidence.claims.map(\.statement), directory)
        } else {
            // The first token also counts before its step, like every field that Apple restates.
            let step = evidence.tokens.unsigned.newest(at: t) ?? evidence.tokens.steps.first
            owners = step.map { [directory.owner(of: $0.token)] } ?? []
            basis = step.map { Basis(strength: .unsignedToken, position: $0.source.position) }
        }
    }

    /// Returns the customers that the rule prefers among those with the strongest claim. Erased customers have none.
    static func claimants(
        _ claims: [Claim.Statement], _ directory: CustomerDirectory, _ rule: Rules.Customers.ClaimConflict
    ) -> [CustomerHandle] {
        let standings = claims.map { (directory.standing(of: $0), $0.position) }
            .filter { !directory.isErased($0.0.customer) }
        let strongest = standings.map(\.0.authority).max()
        let equals = standings.filter { $0.0.authority == strongest }
            .sorted { ($0.0.since, $0.1) < ($1.0.since, $1.1) }.map(\.0.customer)
        // The newest anonymous claim wins under every rule.
        guard strongest != .anonymous else { return Array(equals.suffix(1)) }
        return switch rule {
        case .keepFirst: Array(equals.prefix(1))
        case .move: Array(equals.suffix(1))
        case .share: equals
        }
    }

    package func isOwned(by customer: CustomerHandle) -> Bool {
        owners.contains(.customer(customer))
    }
}

extension Ownership.Basis {
    /// Returns nil without a claim.
    fileprivate init?(strongestOf claims: [Claim.Statement], _ directory: CustomerDirectory) {
        let standings = claims.map { directory.standing(of: $0) }
        guard let strongest = standings.map(\.authority).max(),
            let since = standings.filter({ $0.authority == strongest }).map(\.since).min()
        else { return nil }
        switch strongest {
        case .backend: strength = .backend
        case .app: strength = .app
        case .anonymous: strength = .anonymous
        }
        position = since
    }
}

extension Ownership.Owner: Comparable {
    /// The handle as 32 hexadecimal digits, or the token with its dashes.
    package var text: String {
        switch self {
        case .customer(let handle): handle.hex
        case .bearer(let token): token.text
        }
    }

    /// Creates an owner from its `text`; nil for any other text.
    package init?(_ text: String) {
        if let handle = CustomerHandle(hex: text) {
            self = .customer(handle)
        } else if let token = AppAccountToken(text) {
            self = .bearer(token)
        } else {
            return nil
        }
    }

    package static func < (left: Ownership.Owner, right: Ownership.Owner) -> Bool { left.text < right.text }
}

extension CustomerDirectory {
    package func owner(of token: AppAccountToken) -> Ownership.Owner {
        customer(of: token).map(Ownership.Owner.customer) ?? .bearer(token)
    }
}

/// A key that two known customers claim, without a transfer that settles it.
package struct OwnershipConflict: Hashable, Sendable {
    package let key: SubscriptionKey
    /// The customer whose claim was refused.
    package let claimant: CustomerHandle
    package let owner: Ownership.Owner

    /// Returns the conflicts over a key with these owners.
    package static func conflicts(
        over evidence: OwnershipEvidence, _ ownership: Ownership, directory: CustomerDirectory
    ) -> Set<OwnershipConflict> {
        guard !evidence.refusedClaims.isEmpty else { return [] }
        // A conflict with an anonymous customer cannot be settled.
        let claimants = Set(
            evidence.unsettledClaims.map { directory.standing(of: $0.statement) }.filter { $0.authority > .anonymous }
                .map(\.customer))
        return Set(
            claimants.filter { !ownership.isOwned(by: $0) && !directory.isErased($0) }.flatMap { claimant in
                ownership.owners.map { OwnershipConflict(key: evidence.key, claimant: claimant, owner: $0) }
            })
    }
}

extension Array {
    /// Nil for an empty list.
    fileprivate var stated: [Element]? { isEmpty ? nil : self }
}
