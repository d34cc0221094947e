import AppStoreModel
import EventLog
import FactStore
import LedgerModel
import LedgerStorage
import Primitives

/// The places in a ledger that concern one person.
struct PersonRecords {
    /// The customer, or the appAccountToken of a person without one.
    let owner: Ownership.Owner
    /// The handles of the customer, those merged into it included. Empty for a person without a customer.
    let handles: Set<CustomerHandle>
    /// The callers' ids and the tokens.
    let ids: Set<String>
    /// The tokens of the customer, and those without a customer on the person's own purchases.
    let tokens: Set<AppAccountToken>
    /// The purchase histories that the person owns or owned.
    let keys: Set<SubscriptionKey>
    /// The downloads that the customer claimed.
    let accounts: Set<AppAccountKey>
    /// The events that state any of these, ascending.
    let positions: [Position]
}

/// Finds the records of a person, as known now.
struct PersonSearch {
    private let ledger: LedgerReader
    private var lookup: CustomerLookup
    private let rule: Rules.Customers.ClaimConflict
    private var owners: [SubscriptionKey: Set<Ownership.Owner>] = [:]

    init(in ledger: LedgerReader) throws {
        self.ledger = ledger
        lookup = try CustomerLookup(in: ledger)
        rule = try ledger.rules(knownAt: lookup.size).customers.claimConflict
    }

    /// Returns the records of a person; nil when nothing is held on an id.
    /// - Parameter id: the caller's id, an appAccountToken or a handle.
    /// - Throws: `customer_id_invalid`; `StorageError`.
    mutating func records(of id: String) throws -> PersonRecords? {
        guard let (owner, token) = try owner(named: id) else { return nil }
        let handles = try handles(of: owner)
        var tokens = try tokens(of: owner, handles)
        if let token { tokens.insert(token) }
        let evidence = try lookup.timelines(of: owner, token: token).evidence
        let keys = try keys(of: owner, evidence)
        tokens.formUnion(try tokensWithoutCustomer(on: keys))
        let accounts = try handles.reduce(into: Set<AppAccountKey>()) { accounts, handle in
            accounts.formUnion(try ledger.facts.statements(about: handle, knownAt: lookup.size).downloads)
        }
        let positions = try positions(tokens, keys, accounts, handles)
        if case .bearer = owner, positions.isEmpty { return nil }
        let ids = try handles.flatMap { try ledger.vault?.ids(of: $0) ?? [] }
        return PersonRecords(
            owner: owner, handles: handles, ids: Set(ids).union(tokens.map(\.text)), tokens: tokens, keys: keys,
            accounts: accounts, positions: positions.sorted())
    }

    private mutating func owner(named id: String) throws -> (Ownership.Owner, AppAccountToken?)? {
        switch try ledger.reference(to: id) {
        case .handle(let handle): return (.customer(try lookup.customer(of: handle)), nil)
        case .name(let name):
            if let customer = try lookup.customer(of: name) { return (.customer(customer), name.token) }
            return try name.token.map { (try lookup.owner(of: $0), $0) }
        }
    }

    private func handles(of owner: Ownership.Owner) throws -> Set<CustomerHandle> {
        guard case .customer(let customer) = owner else { return [] }
        return Set([customer] + lookup.directory.handles(mergedInto: customer))
    }

    /// Returns the tokens that the vault and the log have for these handles, without those of another customer.
    private mutating func tokens(
        of owner: Ownership.Owner, _ handles: Set<CustomerHandle>
    ) throws -> Set<AppAccountToken> {
        var tokens: Set<AppAccountToken> = []
        for handle in handles {
            tokens.formUnion(try ledger.vault?.tokens(of: handle, createdBefore: .max) ?? [])
            tokens.formUnion(try ledger.facts.tokens(mappedTo: handle, knownAt: lookup.size))
        }
        return try tokens.filter { try lookup.owner(of: $0) == owner }
    }

    /// Returns the keys that the owner owns, or owned at the instant of one of its tokens.
    private mutating func keys(
        of owner: Ownership.Owner, _ evidence: [OwnershipEvidence]
    ) throws -> Set<SubscriptionKey> {
        var keys: Set<SubscriptionKey> = []
        for evidence in evidence {
            let instants = [.latest] + evidence.tokens.steps.map(\.from)
            let isOwned = instants.contains { instant in
                Ownership(evidence, at: instant, directory: lookup.directory, rule: rule).owners.contains(owner)
            }
            if try isOwned || evidence.tokens.tokens.contains(where: { try lookup.owner(of: $0) == owner }) {
                keys.insert(evidence.key)
            }
        }
        return keys
    }

    /// Returns the tokens that no customer has, stated about the person's own purchases. A family member's purchase has
    /// the token of the purchaser, who is another person.
    private mutating func tokensWithoutCustomer(on keys: Set<SubscriptionKey>) throws -> Set<AppAccountToken> {
        var tokens: Set<AppAccountToken> = []
        for key in keys {
            for position in try ledger.facts.positions(under: .subscription(key)) {
                for keyed in try observations(at: position) where keyed.key == .subscription(key) {
                    guard let token = keyed.observation.fact.appAccountToken, !keyed.isFamilyShared,
                        try lookup.owner(of: token) == .bearer(token)
                    else { continue }
                    tokens.insert(token)
                }
            }
        }
        return tokens
    }

    private func positions(
        _ tokens: Set<AppAccountToken>, _ keys: Set<SubscriptionKey>, _ accounts: Set<AppAccountKey>,
        _ handles: Set<CustomerHandle>
    ) throws -> Set<Position> {
        let facts = ledger.facts
        var positions: Set<Position> = []
        for token in tokens {
            positions.formUnion(try facts.positions(under: .appAccountToken(token)))
            positions.formUnion(try facts.positions(under: .mapping(of: token)))
        }
        for handle in handles {
            positions.formUnion(try facts.positions(under: .claims(of: handle)))
            positions.formUnion(try facts.positions(under: .merges(of: handle)))
        }
        // A term also has the events that name the key only beside another.
        let timelines = Set(keys.map { TimelineKey.subscription($0) } + accounts.map { .appAccount($0) })
        for term in keys.map(IndexTerm.subscription) + accounts.map({ IndexTerm($0) }) {
            for position in try facts.positions(under: term) where !positions.contains(position) {
                if try observations(at: position).contains(where: { timelines.contains($0.key) }) {
                    positions.insert(position)
                }
            }
        }
        return positions
    }

    func observations(at position: Position) throws -> [KeyedObservation] {
        try ledger.facts.facts(at: position)?.facts?.observations ?? []
    }

    /// Whether an event also concerns somebody else.
    mutating func isShared(_ position: Position, with person: PersonRecords) throws -> Bool {
        try isShared(try observations(at: position), with: person)
    }

    /// Whether some observations also concern somebody else.
    mutating func isShared(_ observations: [KeyedObservation], with person: PersonRecords) throws -> Bool {
        for key in Set(observations.map(\.key)) {
            switch key {
            case .subscription(let key):
                if !person.keys.contains(key), try isOwned(key, byOtherThan: person) { return true }
            case .appAccount(let account):
                if try isClaimed(account, byOtherThan: person) { return true }
            }
        }
        return false
    }

    /// Whether a purchase history belongs to somebody else, as known now.
    private mutating func isOwned(_ key: SubscriptionKey, byOtherThan person: PersonRecords) throws -> Bool {
        try currentOwners(of: key).contains { owner in
            switch owner {
            case .customer(let handle): !person.handles.contains(handle)
            case .bearer(let token): !person.tokens.contains(token)
            }
        }
    }

    private mutating func currentOwners(of key: SubscriptionKey) throws -> Set<Ownership.Owner> {
        if let known = owners[key] { return known }
        let evidence = try KnownKeys([key], in: ledger.facts, knownAt: lookup.size).evidence(of: key)
        try lookup.load(evidence)
        let found = Ownership(evidence, at: .latest, directory: lookup.directory, rule: rule).owners
        owners[key] = found
        return found
    }

    /// Whether a download was claimed by somebody else.
    private func isClaimed(_ account: AppAccountKey, byOtherThan person: PersonRecords) throws -> Bool {
        try ledger.facts.positions(under: IndexTerm(account)).contains { position in
            guard case .download(let claim)? = try ledger.facts.facts(at: position)?.facts?.customerFact else {
                return false
            }
            return !person.handles.contains(claim.customer)
        }
    }
}

extension KeyedObservation {
    fileprivate var isFamilyShared: Bool {
        if case .transaction(let fact) = observation.fact { fact.inAppOwnershipType == .familyShared } else { false }
    }
}
