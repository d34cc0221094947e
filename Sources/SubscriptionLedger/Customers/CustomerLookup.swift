import EventLog
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
    /// What the answers rest on: when events come under one of these terms, or somebody is met by one of these names or
    /// by a further token, they may be others.
    private(set) var terms: Set<IndexTerm> = []
    private(set) var unmetNames: [CustomerName] = []
    /// Of those who may be the owner.
    private(set) var tokensByHandle: [CustomerHandle: [AppAccountToken]] = [:]

    /// - Parameter knownAt: nil: everything, and every name met by now.
    init(in ledger: Ledger, knownAt: Question.KnownAt? = nil) throws {
        self.init(in: ledger, knownAt: knownAt, size: try ledger.knownSize(knownAt))
    }

    /// - Parameter size: that of `knownAt`.
    init(in ledger: Ledger, knownAt: Question.KnownAt?, size: Position) {
        derived = ledger.derived
        vault = ledger.vault
        self.size = size
        namesMetBelow = knownAt == nil ? .max : size
    }

    /// Without the vault: nobody is known by a name.
    init(in derived: Derived, size: Position) {
        self.derived = derived
        vault = nil
        self.size = size
        namesMetBelow = 0
    }

    /// Returns the customer that a handle stands for.
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

    /// Who is known by a name; nil when nobody is.
    mutating func customer(of name: CustomerName) throws -> CustomerHandle? {
        guard let met = try vault?.customer(of: name, metBelow: namesMetBelow) else {
            unmetNames.append(name)
            return nil
        }
        return try customer(of: met)
    }

    /// Who a token's purchases are for: somebody known by it, or else whoever it turns out to be.
    mutating func owner(of token: AppAccountToken) throws -> Ownership.Owner {
        if askedTokens.insert(token).inserted, let customer = try customer(of: CustomerName(token)) {
            roster.set(customer, for: token)
        }
        return roster.owner(of: token)
    }

    /// Loads the merges of every handle, and the customers of every token, that decide who owns a key.
    mutating func load(_ evidence: OwnershipEvidence) throws {
        for claim in evidence.claims + evidence.refusedClaims { _ = try customer(of: claim.customer) }
        for transfer in evidence.transfers { _ = try customer(of: transfer.customer) }
        for token in evidence.tokens.tokens { _ = try owner(of: token) }
    }

    /// Takes a token for a customer's, ahead of the vault.
    mutating func assume(_ customer: CustomerHandle, for token: AppAccountToken) {
        askedTokens.insert(token)
        roster.set(customer, for: token)
    }

    /// Takes a merge for made, ahead of the log.
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
    /// Everything that may be an owner's: every key that the owner claimed or whose token is the owner's, and all that
    /// may be joined with it.
    /// - Parameter token: by which the owner is known to who asks.
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
