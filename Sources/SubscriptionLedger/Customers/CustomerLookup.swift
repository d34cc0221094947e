import LedgerModel
import Primitives
import ProjectionRuntime

/// Who is who for one question: loads the merges of the handles and the customers of the tokens that come up, once.
struct CustomerLookup {
    private let derived: Derived
    private let vault: Vault?
    /// How many events are known.
    let size: Position
    /// Names met while the log held fewer events are known.
    private let namesMetBelow: Position
    private(set) var roster = CustomerRoster()
    private var met: Set<CustomerHandle> = []
    private var askedTokens: Set<AppAccountToken> = []

    /// - Parameter knownAt: nil: everything, and every name met by now.
    init(in ledger: Ledger, knownAt: Question.KnownAt? = nil) throws {
        derived = ledger.derived
        vault = ledger.vault
        size = try ledger.knownSize(knownAt)
        namesMetBelow = knownAt == nil ? .max : size
    }

    /// Whom a handle stands for.
    mutating func customer(of handle: CustomerHandle) throws -> CustomerHandle {
        var open = [handle]
        while let next = open.popLast() {
            guard met.insert(next).inserted else { continue }
            for merge in try derived.merges(of: next, knownAt: size) {
                roster.add(merge)
                open += [merge.customer, merge.into]
            }
        }
        return roster.customer(of: handle)
    }

    /// Who is known by a name; nil when nobody is.
    mutating func customer(of name: CustomerName) throws -> CustomerHandle? {
        try vault?.customer(of: name, metBelow: namesMetBelow).map { try customer(of: $0) }
    }

    /// Who a token's purchases are for: somebody known by it, or else whoever it turns out to be.
    mutating func owner(of token: AppAccountToken) throws -> Ownership.Owner {
        if askedTokens.insert(token).inserted, let customer = try customer(of: CustomerName(token)) {
            roster.set(customer, for: token)
        }
        return roster.customer(of: token).map { .customer($0) } ?? .bearer(token)
    }

    /// Meets everybody who has to do with a key, so that the roster can tell who owns it.
    mutating func meet(claims: [Claim], tokens: some Sequence<AppAccountToken>) throws {
        for claim in claims { _ = try customer(of: claim.customer) }
        for token in tokens { _ = try owner(of: token) }
    }
}

/// What is known of a customer's keys and of all that may be joined with them.
struct Holdings {
    let lineages: [Lineage]
    let owned: Set<SubscriptionKey>
    /// Keys whose token changed to another customer's, or from one.
    let tokenConflicts: [SubscriptionKey]

    static let none = Holdings(lineages: [], owned: [], tokenConflicts: [])
}

extension CustomerLookup {
    /// The keys that an owner has at `t`.
    ///
    /// Looks at every key that the owner claimed or whose token is the owner's, and lets the claims decide.
    /// - Parameter token: by which the owner is known to who asks.
    mutating func holdings(
        of owner: Ownership.Owner, token: AppAccountToken?, at t: Instant, rule: Rules.Customers.ClaimConflict
    ) throws -> Holdings {
        var surroundings = Surroundings(in: derived, knownAt: size)
        if case .customer(let customer) = owner {
            for handle in [customer] + roster.handles(mergedInto: customer) {
                try surroundings.add(derived.keys(claimedBy: handle, knownAt: size))
            }
        }
        if let token { try surroundings.add(token) }
        try followTokens(of: owner, in: &surroundings)
        return try holdings(of: owner, among: surroundings, at: t, rule)
    }

    /// A customer's tokens are told by the purchases that are known, and lead to further ones.
    private mutating func followTokens(of owner: Ownership.Owner, in surroundings: inout Surroundings) throws {
        var followed: Set<AppAccountToken> = []
        while true {
            let tokens = Set(surroundings.keys.flatMap(surroundings.appAccountTokens)).subtracting(followed)
            guard !tokens.isEmpty else { return }
            for token in tokens where try self.owner(of: token) == owner { try surroundings.add(token) }
            followed.formUnion(tokens)
        }
    }

    private mutating func holdings(
        of owner: Ownership.Owner, among surroundings: Surroundings, at t: Instant,
        _ rule: Rules.Customers.ClaimConflict
    ) throws -> Holdings {
        let timelines = surroundings.timelines
        var owned: Set<SubscriptionKey> = []
        var conflicts: [SubscriptionKey] = []
        for (key, timeline) in timelines {
            let claims = surroundings.claims(to: key)
            let tokens = timeline.tokensThatClaim
            try meet(claims: claims, tokens: tokens.steps.map(\.value))
            let ownership = Ownership(claims: claims, tokens: tokens, at: t, roster: roster, rule: rule)
            guard ownership.owners.contains(owner) else { continue }
            owned.insert(key)
            if ownership.hasTokenConflict { conflicts.append(key) }
        }
        return Holdings(
            lineages: Lineage.components(of: timelines), owned: owned, tokenConflicts: conflicts.sorted())
    }
}

extension Timeline {
    /// A family member's purchase carries the purchaser's token, if any, and is not the purchaser's.
    var tokensThatClaim: StepField<AppAccountToken> {
        isFamilyShared ? StepField([]) : appAccountTokens
    }
}
