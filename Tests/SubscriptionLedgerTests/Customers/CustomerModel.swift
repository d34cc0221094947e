import LedgerModel
import Primitives
import SubscriptionLedger

/// A reference model of domain-rules §11, as simple as possible and without the ledger's types for these rules. Random
/// postings are compared with it.
struct CustomerModel {
    typealias Person = Int

    private struct Link {
        let id: String
        let person: Person
        let rank: Int
        let number: Int
    }

    private struct Merge {
        let into: Person
        let rank: Int
        let number: Int
    }

    enum Owner: Hashable {
        case person(Person)
        /// The customer whose id is the token.
        case stranger(String)
    }

    let rule: Rules.Customers.ClaimConflict
    private var nextPerson = 0
    /// The number of the latest event.
    private var nextNumber = 0
    private var merged: [Person: Merge] = [:]
    private var anonymous: Set<Person> = []
    private(set) var handles: [String: Person] = [:]
    /// Customers by id or token.
    private var names: [String: Person] = [:]
    private var known: Set<Purchase> = []
    private var links: [Link] = []
    private var refusals: [Link] = []
    private var transfers: [(id: String, person: Person, number: Int)] = []

    init(rule: Rules.Customers.ClaimConflict) { self.rule = rule }

    var ids: [String] { Set(known.map(\.id)).sorted() }

    mutating func ingest(_ purchase: Purchase) { known.insert(purchase) }

    // MARK: Identities

    private func resolve(_ person: Person) -> Person { merged[person].map { resolve($0.into) } ?? person }

    private mutating func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    private mutating func person(named name: String) -> Person {
        if let known = names[name] { return known }
        nextPerson += 1
        names[name] = nextPerson
        return nextPerson
    }

    private mutating func merge(_ from: Person, into: Person, rank: Int) {
        guard from != into else { return }
        merged[from] = Merge(into: into, rank: rank, number: number())
    }

    /// - Returns: false for an unknown handle, and for two known customers unless an admin merges them.
    mutating func identify(_ name: String, handle: String, merging: Bool, by role: Caller.Role) -> Bool {
        guard let from = handles[handle].map(resolve) else { return false }
        let isSame = names[name].map(resolve) == from
        guard isSame || anonymous.contains(from) || (merging && role == .admin) else { return false }
        merge(from, into: resolve(person(named: name)), rank: role == .app ? 2 : 3)
        return true
    }

    /// - Returns: false for an unknown customer, and for two names of one customer.
    mutating func merge(_ other: String, into name: String) -> Bool {
        guard let from = names[other], names[name] != from else { return false }
        let into = person(named: name)
        merge(resolve(from), into: resolve(into), rank: 3)
        return true
    }

    /// - Returns: false when no such merge is in force.
    mutating func unmerge(_ other: String, from name: String) -> Bool {
        guard var person = names[other], let target = names[name] else { return false }
        while let merge = merged[person] {
            if merge.into == target {
                merged[person] = nil
                _ = number()
                return true
            }
            person = merge.into
        }
        return false
    }

    mutating func transfer(_ id: String, to name: String) {
        transfers.append((id, resolve(person(named: name)), number()))
    }

    // MARK: Posting

    /// - Returns: whether it is refused.
    mutating func post(_ purchase: Purchase, for name: String, by role: Caller.Role) -> Bool {
        if names[name] == nil, role == .app {
            // An app's claim creates no customer unless the purchase becomes theirs.
            var trial = self
            _ = trial.person(named: name)
            let isRefused = trial.post(purchase, for: name, by: role)
            if isRefused { known.insert(purchase) } else { self = trial }
            return isRefused
        }
        let who = resolve(person(named: name))
        if let token = purchase.ownToken, names[token] == nil, role != .app { names[token] = who }
        return submit(purchase, for: who, rank: role == .app ? 2 : 3)
    }

    /// - Returns: whether it is refused.
    mutating func post(_ purchase: Purchase, handle: String, by role: Caller.Role) -> Bool {
        guard let who = handles[handle].map(resolve) else { return true }
        if anonymous.contains(who) {
            for owner in anonymousOwners(of: purchase.account) { merge(owner, into: who, rank: 1) }
        }
        return submit(purchase, for: who, rank: anonymous.contains(who) ? 1 : role == .app ? 2 : 3)
    }

    /// The anonymous customers to which an unnamed device of this Apple account belongs.
    func anonymousOwners(of account: String?) -> Set<Person> {
        guard let account else { return [] }
        let bought = known.filter { $0.account == account }.map(\.id)
        return Set(
            bought.flatMap { owners(of: $0) }.compactMap { owner in
                if case .person(let person) = owner, anonymous.contains(person) { person } else { nil }
            })
    }

    mutating func newcomer(handle: String) {
        nextPerson += 1
        anonymous.insert(nextPerson)
        handles[handle] = nextPerson
    }

    private mutating func submit(_ purchase: Purchase, for who: Person, rank: Int) -> Bool {
        known.insert(purchase)
        let id = purchase.id
        let before = owners(of: id)
        let isClaimed = links.contains { $0.id == id && standing($0).person == who && standing($0).rank >= rank }
        let trial = self
        if rank > 1 {
            for case .person(let owner) in before where anonymous.contains(owner) {
                merge(owner, into: who, rank: rank)
            }
        }
        links.append(Link(id: id, person: who, rank: rank, number: number()))
        if owners(of: id).contains(.person(who)) {
            if before.contains(.person(who)), isClaimed { links.removeLast() }
            return false
        }
        self = trial
        if let token = purchase.ownToken, names[token].map(resolve) == who { return false }
        refusals.append(Link(id: id, person: who, rank: rank, number: number()))
        return true
    }

    // MARK: Answers

    private func standing(_ link: Link) -> (person: Person, rank: Int, since: Int) {
        var standing = (person: link.person, rank: link.rank, since: link.number)
        while let merge = merged[standing.person] {
            standing.person = merge.into
            if merge.rank > standing.rank {
                standing.rank = merge.rank
                standing.since = max(standing.since, merge.number)
            }
        }
        return standing
    }

    /// The tokens of a key, each with the instant from which it counts.
    private func tokens(of id: String) -> [(from: Int64, token: String)] {
        let purchases = known.filter { $0.id == id }
        guard !purchases.contains(where: \.isFamilyShared) else { return [] }
        var steps: [(from: Int64, token: String)] = []
        for (_, copies) in Dictionary(grouping: purchases, by: \.number) {
            var last: String?
            for (index, copy) in copies.sorted(by: { $0.signedAt < $1.signedAt }).enumerated() {
                if let token = copy.ownToken, token != last {
                    steps.append((index == 0 ? copy.start : copy.signedAt, token))
                }
                last = copy.ownToken
            }
        }
        return steps.sorted { $0.from < $1.from }
    }

    private func owner(of token: String) -> Owner { names[token].map { .person(resolve($0)) } ?? .stranger(token) }

    private func owners(of id: String, at t: Int64 = .max) -> Set<Owner> {
        if let transfer = transfers.last(where: { $0.id == id }) { return [.person(resolve(transfer.person))] }
        let tokens = tokens(of: id)
        if let newest = tokens.last(where: { $0.from <= t }) { return [owner(of: newest.token)] }
        let claims = links.filter { $0.id == id }.map(standing)
        guard let strongest = claims.map(\.rank).max() else {
            return Set(tokens.prefix(1).map { owner(of: $0.token) })
        }
        let equals = claims.filter { $0.rank == strongest }.sorted { $0.since < $1.since }
            .map { Owner.person($0.person) }
        switch rule {
        case _ where strongest == 1: return Set(equals.suffix(1))
        case .keepFirst: return Set(equals.prefix(1))
        case .move: return Set(equals.suffix(1))
        case .share: return Set(equals)
        }
    }

    private func asker(_ name: String) -> Owner { owner(of: name) }

    func purchases(of name: String, at t: Int64) -> [String] {
        ids.filter { id in
            known.contains { $0.id == id && $0.start <= t } && owners(of: id, at: t).contains(asker(name))
        }
    }

    /// The ids in conflict, repeated for each customer on the other side.
    func conflicts(of name: String) -> [String] {
        ids.flatMap { id -> [String] in
            let settled = transfers.last { $0.id == id }?.number ?? 0
            let owners = owners(of: id)
            let claimants = Set(
                refusals.filter { $0.id == id && $0.number > settled }.map(standing).filter { $0.rank > 1 }.map(
                    \.person)
            )
            .filter { !owners.contains(.person($0)) }
            let pairs = claimants.flatMap { claimant in owners.map { (Owner.person(claimant), $0) } }
            return pairs.filter { $0.0 == asker(name) || $0.1 == asker(name) }.map { _ in id }
        }
    }
}
