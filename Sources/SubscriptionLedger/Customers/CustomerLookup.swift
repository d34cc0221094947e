import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime

/// Loads, for one question, the merges of the handles and the customers of the tokens that occur.
struct CustomerLookup {
    private let derived: Derived
    private let vault: Vault?
    /// The number of known events.
    let size: Position
    /// Names that the vault stored while the log held fewer events are known.
    private let namesMetBelow: Position
    private(set) var roster = CustomerRoster()
    private var met: Set<CustomerHandle> = []
    private var askedTokens: Set<AppAccountToken> = []
    /// The tokens whose customers the log states; earlier versions stored them in the vault alone.
    private(set) var mappedTokens: Set<AppAccountToken> = []
    /// The index terms and names that the answers depend on.
    private(set) var terms: Set<IndexTerm> = []
    private(set) var unmetNames: [CustomerName] = []
    /// The tokens of the handles that may own keys.
    private(set) var tokensByHandle: [CustomerHandle: [AppAccountToken]] = [:]

    /// - Parameter knownAt: nil for the present.
    init(in ledger: Ledger, knownAt: Question.KnownAt? = nil) throws {
        self.init(in: ledger, knownAt: knownAt, size: try ledger.knownSize(knownAt))
    }

    /// - Parameter size: the log size of `knownAt`.
    init(in ledger: Ledger, knownAt: Question.KnownAt?, size: Position) {
        derived = ledger.derived
        vault = ledger.vault
        self.size = size
        namesMetBelow = knownAt == nil ? .max : size
    }

    /// Creates a lookup without the vault: no external id resolves.
    init(in derived: Derived, size: Position) {
        self.derived = derived
        vault = nil
        self.size = size
        namesMetBelow = 0
    }

    /// Returns the customer of a handle, after merges.
    mutating func customer(of handle: CustomerHandle) throws -> CustomerHandle {
        var open = [handle]
        while let next = open.popLast() {
            guard met.insert(next).inserted else { continue }
            terms.insert(.merges(of: next))
            for change in try derived.directoryChanges(of: next, knownAt: size) {
                roster.add(change)
                open += change.handles
            }
        }
        return roster.customer(of: handle)
    }

    /// Returns the customer with an external id; nil when there is none.
    mutating func customer(of name: CustomerName) throws -> CustomerHandle? {
        guard let met = try vault?.customer(of: name, metBelow: namesMetBelow) else {
            unmetNames.append(name)
            return nil
        }
        return try customer(of: met)
    }

    /// Returns the owner named by a token: its customer, or the token's bearer.
    mutating func owner(of token: AppAccountToken) throws -> Ownership.Owner {
        if askedTokens.insert(token).inserted {
            terms.insert(.mapping(of: token))
            if let mapped = try derived.customer(mappedTo: token, knownAt: size) {
                roster.set(try customer(of: mapped), for: token)
                mappedTokens.insert(token)
            } else if let customer = try customer(of: CustomerName(token)) {
                roster.set(customer, for: token)
            }
        }
        return roster.owner(of: token)
    }

    /// Loads the merges of the handles and the customers of the tokens in `evidence`.
    mutating func load(_ evidence: OwnershipEvidence) throws {
        for claim in evidence.claims + evidence.refusedClaims { _ = try customer(of: claim.customer) }
        for transfer in evidence.transfers { _ = try customer(of: transfer.customer) }
        for token in evidence.tokens.tokens { _ = try owner(of: token) }
    }

    /// Assumes that a token belongs to a customer, before the vault records it.
    mutating func assume(_ customer: CustomerHandle, for token: AppAccountToken) {
        askedTokens.insert(token)
        roster.set(customer, for: token)
    }

    /// Assumes a merge, before the log records it.
    mutating func assume(_ merge: Merge) {
        roster.add(.merge(merge))
    }
}

extension DirectoryChange {
    fileprivate var handles: [CustomerHandle] {
        switch self {
        case .merge(let merge): [merge.customer, merge.into]
        case .unmerge(let unmerge): [unmerge.customer, unmerge.into]
        }
    }
}

extension CustomerLookup {
    /// Returns the timelines that an owner may own: of every key that the owner claimed or whose token is the owner's,
    /// and of every key that may be joined with these.
    /// - Parameter token: the token by which the caller names the owner; nil for another id.
    mutating func portfolio(of owner: Ownership.Owner, token: AppAccountToken?) throws -> Portfolio {
        var surroundings = Surroundings(in: derived, knownAt: size)
        if case .customer(let customer) = owner {
            for handle in [customer] + roster.handles(mergedInto: customer) {
                terms.insert(.claims(of: handle))
                try surroundings.add(derived.keys(claimedBy: handle, knownAt: size))
                let tokens = try vault?.tokens(of: handle, metBelow: namesMetBelow) ?? []
                for token in tokens { try surroundings.add(token) }
                tokensByHandle[handle] = tokens
            }
        }
        if let token { try surroundings.add(token) }
        try followTokens(of: owner, in: &surroundings)
        terms.formUnion(surroundings.askedTerms)
        return try portfolio(of: owner, among: surroundings)
    }

    /// Follows the owner's tokens to further purchases until no new token occurs.
    private mutating func followTokens(of owner: Ownership.Owner, in surroundings: inout Surroundings) throws {
        var followed: Set<AppAccountToken> = []
        while true {
            let tokens = Set(surroundings.keys.flatMap(surroundings.appAccountTokens)).subtracting(followed)
            guard !tokens.isEmpty else { return }
            for token in tokens where try self.owner(of: token) == owner { try surroundings.add(token) }
            followed.formUnion(tokens)
        }
    }

    private mutating func portfolio(
        of owner: Ownership.Owner, among surroundings: Surroundings
    ) throws -> Portfolio {
        let timelines = surroundings.timelines
        var evidence: [OwnershipEvidence] = []
        for (key, timeline) in timelines {
            let next = surroundings.ownershipEvidence(of: key, timeline)
            try load(next)
            evidence.append(next)
        }
        return Portfolio(
            owner: owner, lineages: Lineage.components(of: timelines), evidence: evidence,
            purchases: timelines.mapValues(OneTimePurchase.all).filter { !$0.value.isEmpty }, roster: roster,
            observationCount: timelines.values.reduce(0) { $0 + $1.observations.count })
    }
}
