import Differences
import IntroOffers
package import LedgerAPI
import LedgerModel
import Primitives
import ProductStates
import SubscriptionStatus

extension LedgerReader {
    /// Returns what other rules or another catalogue move: states, owners, entitlements, eligibility and numbers, each
    /// move with the changed field that causes it.
    ///
    /// Customers without a subscription or a one-time purchase are not compared.
    /// - Throws: `KnownAtAhead`; `ZoneUnknown`; the reason to stop the work; `StorageError`.
    /// - Complexity: O(n · f) for n facts and f changed settings, and O(c) for c customers if the catalogue, or a rule about offers or customers
    ///   changes.
    package func difference(_ query: DifferenceQuery) throws -> DifferenceAnswer {
        let context = try analysisContext(query.question)
        let comparison = try Comparison(query, context)
        var answer = DifferenceAnswer(
            asOf: query.question.asOf, knownAt: context.size,
            changes: comparison.all.changes.map { AssumedChangeRow(rule: $0.name, before: $0.before, after: $0.after) },
            rows: [])
        guard !comparison.all.changes.isEmpty || context.signedBy != nil else { return answer }
        let found = try analysis(
            context, query.scope, readsCustomers: comparison.readsCustomers, report: query.report,
            DifferenceSum(comparison)
        ) { sum, unit in
            sum.add(unit, knownAt: context.size)
        } merge: {
            $0.merge($1)
        }
        var customers = try CustomerComparison(self, query, comparison, context)
        try customers.add(found.sum.states)
        try customers.add(found.sum.owners)
        answer.rows =
            try customers.rows(of: found.sum.states) + customers.rows(of: found.sum.ownerMoves) + customers.rows()
            + found.sum.numberRows
        answer.signed = found.signed
        return answer
    }
}

/// The differences in the units that a thread folded.
struct DifferenceSum: Sendable {
    /// The moves of a subscription's state, or of its owners.
    struct Moves: Sendable {
        let key: SubscriptionKey
        var rows: [DifferenceRow] = []
    }

    let comparison: Comparison
    private(set) var states: [Moves] = []
    private(set) var ownerMoves: [(key: SubscriptionKey, moves: [Attribution.Move<Set<Ownership.Owner>>])] = []
    /// The customers of all subscriptions, if they may move.
    private(set) var owners: Set<Ownership.Owner> = []
    private var numbers: [Numbers]

    init(_ comparison: Comparison) {
        self.comparison = comparison
        numbers = comparison.questions.map(Numbers.init)
    }

    mutating func add(_ unit: AnalysisUnit, knownAt size: Position) {
        if !comparison.states.changes.isEmpty { addStates(unit.lineages) }
        if comparison.readsCustomers { addOwners(unit, knownAt: size) }
        var analysed: [AnalysedLineages] = []
        for (index, assumptions) in comparison.numbers.assumptions.prefix(numbers.count).enumerated() {
            let known = analysed.firstIndex { $0.catalogs == assumptions.catalogs }
            if known == nil {
                analysed.append(
                    AnalysedLineages(unit.lineages, at: comparison.asOf, catalogs: assumptions.catalogs))
            }
            numbers[index].add(&analysed[known ?? analysed.count - 1])
        }
    }

    mutating func merge(_ other: DifferenceSum) {
        states += other.states
        ownerMoves += other.ownerMoves
        owners.formUnion(other.owners)
        for index in numbers.indices { numbers[index].merge(other.numbers[index]) }
    }

    private mutating func addStates(_ lineages: [Lineage]) {
        let (attribution, asOf) = (comparison.states, comparison.asOf)
        func answers(_ index: Int) -> [SubscriptionState] {
            lineages.states(at: asOf, rules: attribution.assumptions[index].rules)
        }
        let (old, new) = (answers(0), answers(attribution.last))
        // The fields between are computed for moved rows only. A move there and back is no move of a row.
        guard old != new else { return }
        let between = attribution.assumptions.indices.map { index in
            index == 0 ? old : index == attribution.last ? new : answers(index)
        }
        // No rule decides which subscriptions have begun, so the rows of all assumptions have the same keys.
        for index in old.indices where old[index] != new[index] {
            let fields = between.map { SubscriptionRow($0[index]).fields }
            var moves = Moves(key: old[index].key)
            for (number, field) in fields[0].enumerated() {
                moves.rows += attribution.moves { fields[$0][number].value }.map { move in
                    DifferenceRow(
                        move, attribution, [], .access, field: field.key, before: move.before, after: move.after)
                }
            }
            if !moves.rows.isEmpty { states.append(moves) }
        }
    }

    private mutating func addOwners(_ unit: AnalysisUnit, knownAt size: Position) {
        let (attribution, customers) = (comparison.owners, unit.facts.customers)
        let directory = customers.directory(below: size)
        for key in unit.lineages.flatMap(\.subscriptions).map(\.key) {
            guard let timeline = unit.facts.timelines[key] else { continue }
            let evidence = customers.evidence(of: key, timeline, below: size)
            let owners = attribution.assumptions.map { assumptions in
                Ownership(
                    evidence, at: comparison.asOf, directory: directory,
                    rule: assumptions.rules.customers.claimConflict
                ).owners
            }
            if comparison.readsAllCustomers { for owners in owners { self.owners.formUnion(owners) } }
            let moves = attribution.moves { owners[$0] }
            if !moves.isEmpty { ownerMoves.append((key, moves)) }
        }
    }

    /// The rows of numbers, ordered by cell.
    var numberRows: [DifferenceRow] {
        let attribution = comparison.numbers
        let cells = numbers.map(\.cells)
        let names = cells.reduce(into: Set()) { $0.formUnion($1.keys) }.sorted()
        return names.flatMap { name in
            attribution.moves(ofNumber: { cells[$0][name] ?? 0 }).map { move in
                let labels = name.labels.map { JSONValue.Member($0.name, .string($0.value)) }
                var row = DifferenceRow(
                    move, attribution, [.init("cell", .object(labels))], name.table, field: name.field,
                    before: .integer(move.before), after: .integer(move.after))
                row.currency = name.currency
                return row
            }
        }
    }
}

extension SubscriptionRow {
    /// The members that rules may change.
    fileprivate var fields: [JSONValue.Member] {
        guard case .object(let members) = json else { return [] }
        let others: Set = ["environment", "bundleId", "originalTransactionId", "evidence"]
        return members.filter { !others.contains($0.key) }
    }
}

extension DifferenceRow {
    init<Value>(
        _ move: Attribution.Move<Value>, _ attribution: Attribution, _ subject: [JSONValue.Member],
        _ table: ComparedTable, field: String, before: JSONValue, after: JSONValue
    ) {
        self.init(
            subject: subject, table: table.rawValue, field: field, before: before, after: after,
            rule: attribution.changes[move.change].name, together: move.isTogether)
    }
}
