import LedgerModel
import SubscriptionLedger

/// What domain-rules §11 says, written down as plainly as possible and without any of the ledger's types for it:
/// what random postings are compared with.
struct CustomerModel {
    typealias Person = Int

    let rule: Rules.Customers.ClaimConflict
    private var next = 0
    private var mergedInto: [Person: Person] = [:]
    private var anonymous: Set<Person> = []
    private(set) var handles: [String: Person] = [:]
    private var names: [String: Person] = [:]
    private var known: Set<Purchase> = []
    private var links: [(id: String, person: Person, rank: Int, number: Int)] = []

    init(rule: Rules.Customers.ClaimConflict) { self.rule = rule }

    mutating func ingest(_ purchase: Purchase) { known.insert(purchase) }

    /// - Returns: the code of a refusal.
    mutating func post(_ purchase: Purchase, for person: Person, by role: PostingRole) -> String? {
        known.insert(purchase)
        let who = resolve(person)
        let token = purchase.isFamilyShared ? nil : purchase.token
        let wasOwner: Bool
        if let token, names[token] == nil, role == .backend, !anonymous.contains(who) {
            // Tried as the customer's, and taken back when the claim loses.
            names[token] = who
            wasOwner = owners(of: purchase.id).contains(.person(who))
            if attempt(purchase.id, who, role, wasOwner) { return nil }
            let code = conflict(purchase.id) ? "tokenConflict" : "linkRefused"
            names[token] = nil
            return owners(of: purchase.id).contains(.person(who)) ? nil : code
        }
        wasOwner = owners(of: purchase.id).contains(.person(who))
        if let token, let holder = names[token].map(resolve), holder != who {
            return wasOwner ? "tokenConflict" : "linkRefused"
        }
        if let token, names[token] == nil, role == .app { return wasOwner ? nil : "linkRefused" }
        if attempt(purchase.id, who, role, wasOwner) { return nil }
        return token != nil && names[token ?? ""].map(resolve) == who && conflict(purchase.id)
            ? "tokenConflict" : "linkRefused"
    }

    /// Links when the claim wins.
    private mutating func attempt(_ id: String, _ who: Person, _ role: PostingRole, _ wasOwner: Bool) -> Bool {
        let rank = anonymous.contains(who) ? 1 : role == .app ? 2 : 3
        let own = links.filter { $0.id == id && resolve($0.person) == who }
        if wasOwner, own.contains(where: { effective($0.person, $0.rank) >= rank }) { return true }
        links.append((id, who, rank, links.count))
        if owners(of: id).contains(.person(who)) { return true }
        links.removeLast()
        return false
    }

    mutating func person(named name: String) -> Person {
        if let known = names[name] { return known }
        next += 1
        names[name] = next
        return next
    }

    mutating func newcomer(handle: String) -> Person {
        next += 1
        anonymous.insert(next)
        handles[handle] = next
        return next
    }

    /// - Returns: false for two known customers.
    mutating func identify(_ name: String, handle: String, isAdmin: Bool) -> Bool {
        guard let from = handles[handle].map(resolve) else { return false }
        if let already = names[name], resolve(already) == from { return true }
        guard anonymous.contains(from) || isAdmin else { return false }
        mergedInto[from] = resolve(person(named: name))
        return true
    }

    private func resolve(_ person: Person) -> Person {
        mergedInto[person].map(resolve) ?? person
    }

    private func effective(_ person: Person, _ rank: Int) -> Int {
        rank == 1 && resolve(person) != person ? 2 : rank
    }

    private enum Owner: Hashable {
        case person(Person)
        case stranger(String)
    }

    /// Tokens of a key, oldest first.
    private func tokens(of id: String) -> [String] {
        let purchases = known.filter { $0.id == id }
        guard !purchases.contains(where: \.isFamilyShared) else { return [] }
        return purchases.sorted { $0.number < $1.number }.compactMap(\.token)
    }

    private func conflict(_ id: String) -> Bool {
        rule != .move && Set(tokens(of: id).compactMap { names[$0].map(resolve) }).count > 1
    }

    private func owners(of id: String) -> Set<Owner> {
        let holders = tokens(of: id).compactMap { names[$0].map(resolve) }
        if !holders.isEmpty { return choose(holders.map(Owner.person)) }
        let claims = links.filter { $0.id == id }
        if let strongest = claims.map({ effective($0.person, $0.rank) }).max() {
            let equals = claims.filter { effective($0.person, $0.rank) == strongest }
            return choose(equals.sorted { $0.number < $1.number }.map { .person(resolve($0.person)) })
        }
        return choose(tokens(of: id).map(Owner.stranger))
    }

    private func choose(_ owners: [Owner]) -> Set<Owner> {
        switch rule {
        case .keepFirst: Set(owners.prefix(1))
        case .move: Set(owners.suffix(1))
        case .share: Set(owners)
        }
    }

    func purchases(of name: String) -> [String] {
        let owner = names[name].map { Owner.person(resolve($0)) } ?? .stranger(name)
        return Set(known.map(\.id)).filter { owners(of: $0).contains(owner) }.sorted()
    }
}
