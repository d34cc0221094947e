import EventLog
import FactStore
import LedgerModel
import Primitives

/// Loads the merges of handles and the customers of tokens for one question.
struct CustomerLookup {
    private let facts: FactIndex
    private let vault: VaultReader?
    /// Everything that was read for the question.
    private(set) var reads: ReadSet
    /// The log size below which an id must have been stored in the vault to resolve.
    let idsCreatedBelow: Position
    /// The instant by which Apple signed what counts; nil for everything known.
    private var signedBy: Instant?
    private(set) var directory = CustomerDirectory()
    private var loadedHandles: Set<CustomerHandle> = []
    private var askedTokens: Set<AppAccountToken> = []
    /// The tokens whose customers are in the log. Earlier versions stored them in the vault only.
    private(set) var mappedTokens: Set<AppAccountToken> = []

    /// The number of known events.
    var size: Position { reads.size }

    /// - Parameter knownAt: nil for the present.
    init(in ledger: LedgerReader, knownAt: AsOfQuery.KnownAt? = nil) throws {
        self.init(in: ledger, knownAt: knownAt, size: try ledger.knownSize(knownAt))
    }

    /// - Parameter size: the log size of `knownAt`.
    init(in ledger: LedgerReader, knownAt: AsOfQuery.KnownAt?, size: Position) {
        facts = ledger.facts
        vault = ledger.vault
        reads = ReadSet(size: size)
        idsCreatedBelow = knownAt == nil ? .max : size
    }

    /// - Parameter size: the log size of the question.
    init(in ledger: LedgerReader, _ question: AsOfQuery, size: Position) {
        self.init(in: ledger, knownAt: question.knownAt, size: size)
        signedBy = question.signedBy
    }

    /// Creates a lookup without the vault, in which no external id resolves.
    init(in facts: FactIndex, size: Position) {
        self.facts = facts
        vault = nil
        reads = ReadSet(size: size)
        idsCreatedBelow = 0
    }

    /// Returns the customer of a handle, after merges.
    mutating func customer(of handle: CustomerHandle) throws -> CustomerHandle {
        var open = [handle]
        while let next = open.popLast() {
            guard loadedHandles.insert(next).inserted else { continue }
            reads.terms.append(.merges(of: next))
            for change in try facts.directoryChanges(of: next, knownAt: size) {
                directory.add(change)
                open += change.handles
            }
        }
        return directory.customer(of: handle)
    }

    /// Returns the customer with an external id; nil when there is none.
    mutating func customer(of name: ExternalCustomerID) throws -> CustomerHandle? {
        guard let handle = try vault?.customer(of: name, createdBefore: idsCreatedBelow) else {
            reads.unresolvedIDs.append(name)
            return nil
        }
        return try customer(of: handle)
    }

    /// Returns the owner that a token names: its customer, or the token's bearer if it has no customer.
    mutating func owner(of token: AppAccountToken) throws -> Ownership.Owner {
        if askedTokens.insert(token).inserted {
            reads.terms.append(.mapping(of: token))
            if let mapped = try mappedCustomer(of: token) {
                directory.set(mapped, for: token)
                mappedTokens.insert(token)
            } else if let customer = try customer(of: ExternalCustomerID(token)) {
                directory.set(customer, for: token)
            }
        }
        return directory.owner(of: token)
    }

    /// Returns the first customer that is not erased and to which a token was mapped; nil when there is none.
    private mutating func mappedCustomer(of token: AppAccountToken) throws -> CustomerHandle? {
        for handle in try facts.customers(mappedTo: token, knownAt: size) {
            let customer = try customer(of: handle)
            if !directory.isErased(customer) { return customer }
        }
        return nil
    }

    /// Loads the merges of the handles and the customers of the tokens in `evidence`.
    mutating func load(_ evidence: OwnershipEvidence) throws {
        for claim in evidence.claims + evidence.refusedClaims { _ = try customer(of: claim.customer) }
        for transfer in evidence.transfers { _ = try customer(of: transfer.customer) }
        for token in evidence.tokens.tokens { _ = try owner(of: token) }
    }

    /// Assigns a token to a customer before the vault stores it.
    mutating func assume(_ customer: CustomerHandle, for token: AppAccountToken) {
        askedTokens.insert(token)
        directory.set(customer, for: token)
    }

    /// Applies a merge before the log contains it.
    mutating func assume(_ merge: Merge) {
        directory.add(.merge(merge))
    }
}

extension DirectoryChange {
    fileprivate var handles: [CustomerHandle] {
        switch self {
        case .merge(let merge): [merge.customer, merge.into]
        case .unmerge(let unmerge): [unmerge.customer, unmerge.into]
        case .erasure(let erasure): [erasure.customer]
        }
    }
}

extension CustomerLookup {
    /// Returns the timelines of a customer named in a question; nil when the id has no customer.
    mutating func timelines(of reference: CustomerReference) throws -> CustomerTimelines? {
        switch reference {
        case .handle(let handle):
            return try timelines(of: .customer(customer(of: handle)), token: nil)
        case .name(let name):
            let owner = try customer(of: name).map(Ownership.Owner.customer) ?? name.token.map { .bearer($0) }
            return try owner.map { try timelines(of: $0, token: name.token) }
        }
    }

    /// Returns the timelines of every key that an owner may own, and of every related key. The owner may own the keys
    /// that it claimed and the keys with its tokens.
    /// - Parameter token: the token with which the caller names the owner; nil for another id.
    mutating func timelines(of owner: Ownership.Owner, token: AppAccountToken?) throws -> CustomerTimelines {
        var related = RelatedTimelines(in: facts, knownAt: size)
        var grants: [EntitlementGrant] = []
        if case .customer(let customer) = owner {
            for handle in [customer] + directory.handles(mergedInto: customer) {
                reads.terms.append(.claims(of: handle))
                let statements = try facts.statements(about: handle, knownAt: size)
                grants += statements.grants
                try related.add(statements.keys)
                for account in statements.downloads { try related.add(account) }
                // Without a vault, as in a bundle, the tokens that the log maps to the customer are all there are.
                let tokens =
                    try vault?.tokens(of: handle, createdBefore: idsCreatedBelow)
                    ?? facts.tokens(mappedTo: handle, knownAt: size).sorted { $0.text < $1.text }
                for token in tokens { try related.add(token) }
                reads.tokensByHandle[handle] = tokens
            }
        }
        if let token { try related.add(token) }
        try followTokens(of: owner, in: &related)
        reads.terms += related.askedTerms
        return try timelines(of: owner, among: related, grants)
    }

    /// Follows the owner's tokens to further purchases until no new token is found.
    private mutating func followTokens(of owner: Ownership.Owner, in related: inout RelatedTimelines) throws {
        var followed: Set<AppAccountToken> = []
        while true {
            let tokens = related.appAccountTokens.subtracting(followed)
            guard !tokens.isEmpty else { return }
            for token in tokens where try self.owner(of: token) == owner { try related.add(token) }
            followed.formUnion(tokens)
        }
    }

    private mutating func timelines(
        of owner: Ownership.Owner, among related: RelatedTimelines, _ grants: [EntitlementGrant]
    ) throws -> CustomerTimelines {
        let timelines = signedBy.map { related.timelines.signed(by: $0) } ?? related.timelines
        var evidence: [OwnershipEvidence] = []
        for (key, timeline) in timelines {
            let next = related.ownershipEvidence(of: key, timeline)
            try load(next)
            evidence.append(next)
        }
        let downloads = signedBy.map { t in related.downloads.map { $0.signed(by: t) } } ?? related.downloads
        for claim in downloads.flatMap(\.claims) { _ = try customer(of: claim.customer) }
        var known = CustomerTimelines(
            of: owner, timelines, evidence: evidence, downloads: downloads, grants: grants, directory: directory)
        if let signedBy { known.signedLater = related.timelines.mapValues { $0.countSignedLater(than: signedBy) } }
        return known
    }
}

extension AppDownload {
    /// Returns the download with the statements that Apple signed by an instant.
    fileprivate func signed(by t: Instant) -> AppDownload {
        AppDownload(account: account, facts: facts.filter { $0.source.time <= t }, claims: claims)
    }
}
