import Differences
import FactStore
import IntroOffers
import LedgerAPI
import LedgerModel
import Primitives
import ProductStates

/// The customers that a difference may move, evaluated under each set of assumptions.
struct CustomerComparison {
    private let ledger: LedgerReader
    private let query: DifferenceQuery
    private let comparison: Comparison
    private let context: AnalysisContext
    private var owners: Set<Ownership.Owner> = []
    private var ownersByKey: [SubscriptionKey: [String]] = [:]

    init(
        _ ledger: LedgerReader, _ query: DifferenceQuery, _ comparison: Comparison, _ context: AnalysisContext
    ) throws {
        (self.ledger, self.query, self.comparison, self.context) = (ledger, query, comparison, context)
    }

    mutating func add(_ owners: Set<Ownership.Owner>) throws { self.owners.formUnion(owners) }

    /// Adds the owners of subscriptions whose state moves.
    mutating func add(_ moved: [DifferenceSum.Moves]) throws {
        for moves in moved {
            try WorkLimit.check()
            let owners = try ledger.owners(of: moves.key, query.question, context)
            self.owners.formUnion(owners)
            ownersByKey[moves.key] = try owners.sorted().map { try ledger.id(of: $0) ?? $0.text }
        }
    }

    /// Returns the rows of states, ordered by key, with the customers of each key.
    func rows(of moved: [DifferenceSum.Moves]) -> [DifferenceRow] {
        moved.sorted { $0.key < $1.key }.flatMap { moves in
            let customers = (ownersByKey[moves.key] ?? []).map { JSONValue.string($0) }
            return moves.rows.map { row in
                var row = row
                row.subject = SubscriptionID(moves.key).members + [.init("customers", .array(customers))]
                return row
            }
        }
    }

    /// Returns the rows of owners, ordered by key.
    func rows(
        of moved: [(key: SubscriptionKey, moves: [Attribution.Move<Set<Ownership.Owner>>])]
    ) throws -> [DifferenceRow] {
        func names(_ owners: Set<Ownership.Owner>) throws -> JSONValue {
            .array(try owners.sorted().map { .string(try ledger.id(of: $0) ?? $0.text) })
        }
        return try moved.sorted { $0.key < $1.key }.flatMap { key, moves in
            try moves.map { move in
                DifferenceRow(
                    move, comparison.owners, SubscriptionID(key).members, .owners, field: "customers",
                    before: try names(move.before), after: try names(move.after))
            }
        }
    }

    /// Returns the rows of entitlements and of eligibility, ordered by customer.
    func rows() throws -> [DifferenceRow] {
        guard !comparison.customers.changes.isEmpty else { return [] }
        let named = try owners.map { (id: try ledger.id(of: $0) ?? $0.text, owner: $0) }
        var rows: [DifferenceRow] = []
        for (id, owner) in named.sorted(by: { $0.id < $1.id }) {
            try WorkLimit.check()
            let values = try CustomerValues(of: owner, ledger, query, comparison, context)
            rows += values.rows.map { row in
                var row = row
                row.subject = [.init("customer", .string(id))] + row.subject
                return row
            }
        }
        return rows
    }
}

extension LedgerReader {
    /// Returns the owners of a key.
    fileprivate func owners(
        of key: SubscriptionKey, _ question: AsOfQuery, _ context: AnalysisContext
    ) throws -> Set<Ownership.Owner> {
        var related = RelatedTimelines(in: facts, knownAt: context.size)
        try related.add([key])
        guard let stated = related.timelines[key] else { return [] }
        let timeline = question.signedBy.map { stated.signed(by: $0) } ?? stated
        let evidence = related.ownershipEvidence(of: key, timeline)
        var lookup = CustomerLookup(in: self, question, size: context.size)
        try lookup.load(evidence)
        return Ownership(
            evidence, at: question.asOf, directory: lookup.directory, rule: context.rules.customers.claimConflict
        ).owners
    }
}

/// The entitlements and the eligibility of a customer under each set of assumptions.
private struct CustomerValues {
    private(set) var rows: [DifferenceRow] = []

    init(
        of owner: Ownership.Owner, _ ledger: LedgerReader, _ query: DifferenceQuery, _ comparison: Comparison,
        _ context: AnalysisContext
    ) throws {
        var lookup = CustomerLookup(in: ledger, query.question, size: context.size)
        let timelines =
            switch owner {
            case .customer(let handle):
                try lookup.timelines(of: .customer(try lookup.customer(of: handle)), token: nil)
            case .bearer(let token): try lookup.timelines(of: try lookup.owner(of: token), token: token)
            }
        let (attribution, scope) = (comparison.customers, query.scope)
        func value<Value>(_ index: Int, _ read: (Rules, [Symbol: CatalogHistory]) -> Value) -> Value {
            let assumptions = attribution.assumptions[index]
            return read(assumptions.rules, assumptions.catalogs.filter { scope.contains(bundleId: $0.key.text) })
        }
        func entitlements(_ index: Int) -> [Symbol: Entitlement] {
            value(index) { rules, catalogs in
                let state = CustomerState(
                    of: timelines, at: comparison.asOf, rules: rules, scope: scope, catalogs: catalogs)
                return Dictionary(state.entitlements.map { ($0.id, $0) }) { first, _ in first }
            }
        }
        func offers(_ index: Int) -> [ProductName: IntroEligibility] {
            value(index) { rules, catalogs in
                let offers = IntroOffers(
                    of: timelines, at: comparison.asOf, rules: rules, scope: scope, catalogs: catalogs)
                return Dictionary(offers.products.map { ($0, offers.eligibility(for: $0)) }) { first, _ in first }
            }
        }
        add(attribution, .entitlements, entitlements) {
            $0.text
        } subject: {
            [.init("entitlement", .string($0.text))]
        } fields: { entitlement in
            [.init("entitled", .bool(entitlement != nil)), .init("until", JSONValue(entitlement?.until))]
        }
        add(attribution, .offers, offers) {
            $0.productId.text
        } subject: { name in
            [.init("bundleId", .string(name.bundleId.text)), .init("productId", .string(name.productId.text))]
        } fields: { eligibility in
            [
                .init("eligible", eligibility?.isEligible.map { .bool($0) } ?? .null),
                .init("reason", JSONValue(eligibility?.reason.rawValue)),
            ]
        }
    }

    /// Adds the rows of a table.
    /// - Parameters:
    ///   - value: returns the values by name under the assumptions of an index.
    ///   - fields: returns the fields of a value; nil for none.
    private mutating func add<Name: Hashable, Value>(
        _ attribution: Attribution, _ table: ComparedTable, _ value: (Int) -> [Name: Value],
        text: (Name) -> String, subject: (Name) -> [JSONValue.Member], fields: (Value?) -> [JSONValue.Member]
    ) {
        func read(_ values: [Name: Value]) -> [Name: [JSONValue.Member]] { values.mapValues { fields($0) } }
        let (old, new) = (read(value(0)), read(value(attribution.last)))
        guard old != new else { return }
        let between = attribution.assumptions.indices.map { index in
            index == 0 ? old : index == attribution.last ? new : read(value(index))
        }
        let (names, none) = (Set(old.keys).union(new.keys).sorted { text($0) < text($1) }, fields(nil))
        for name in names where old[name] != new[name] {
            for (number, field) in none.enumerated() {
                rows += attribution.moves { (between[$0][name] ?? none)[number].value }.map { move in
                    DifferenceRow(
                        move, attribution, subject(name), table, field: field.key, before: move.before,
                        after: move.after)
                }
            }
        }
    }
}
