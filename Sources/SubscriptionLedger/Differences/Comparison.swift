import Differences
import LedgerConfiguration
package import LedgerModel
import Primitives
package import ProjectionRuntime
import Revenue

/// Two sets of rules, or two catalogues of an app, to compare.
package struct DifferenceQuery: Sendable {
    /// The instants and the knowledge. Its rules are the old ones; nil for the active ones.
    package var question: AsOfQuery
    package var scope: CustomerScope
    /// Nil for the old ones.
    package var newRules: Rules?
    /// Nil for the newest one that was applied.
    package var oldCatalog: Catalog?
    /// Nil for the old one.
    package var newCatalog: Catalog?
    /// Called with the progress.
    package var report: (@Sendable (RebuildProgress) -> Void)?

    package init(_ question: AsOfQuery, scope: CustomerScope = CustomerScope(), newRules: Rules? = nil) {
        (self.question, self.scope, self.newRules) = (question, scope, newRules)
    }
}

/// The changed fields that each kind of table reads.
struct Comparison: Sendable {
    let asOf: Instant
    let all: Attribution
    let states: Attribution
    let owners: Attribution
    let customers: Attribution
    let numbers: Attribution
    /// For each of the assumptions of `numbers`.
    let questions: [Numbers.Question]
    /// Whether the customers of subscriptions whose state stays the same may move too.
    let readsAllCustomers: Bool

    /// - Throws: `ZoneUnknown`.
    init(_ query: DifferenceQuery, _ context: AnalysisContext) throws {
        asOf = query.question.asOf
        var old = Assumptions(rules: context.rules, catalogs: context.catalogs)
        if let catalog = query.oldCatalog { old.applyOld(catalog) }
        var changes: [AssumedChange] = []
        if let catalog = query.newCatalog {
            let before = query.oldCatalog ?? old.catalogs[catalog.bundleId]?.newest?.catalog
            changes += [AssumedChange](from: before ?? Catalog(bundleId: catalog.bundleId), to: catalog)
        }
        changes += [AssumedChange](from: context.rules, to: query.newRules ?? context.rules)
        all = Attribution(changes, from: old)
        states = all.restricted(to: [.access])
        owners = all.restricted(to: [.owners])
        customers = all.restricted(to: [.entitlements, .offers])
        numbers = all.restricted(to: ComparedTable.numbers)
        readsAllCustomers = customers.changes.contains { !$0.tables.contains(.access) }
        let tables = numbers.changes.reduce(into: Set()) { $0.formUnion($1.tables) }
            .intersection(ComparedTable.numbers)
        let asOf = asOf
        questions =
            numbers.changes.isEmpty
            ? [] : try numbers.assumptions.map { try Numbers.Question(tables, asOf: asOf, rules: $0.rules) }
    }

    /// Whether the events about customers decide something.
    var readsCustomers: Bool { !owners.changes.isEmpty || readsAllCustomers }
}

extension Numbers.Question {
    /// - Throws: `ZoneUnknown`.
    init(
        _ tables: Set<ComparedTable>, asOf: Instant, rules: Rules, in reporting: ReportingCurrency? = nil
    ) throws(ZoneUnknown) {
        self.init(
            tables, asOf: asOf, rules: rules, zone: try TimeZoneDatabase.table(named: rules.retention.zone),
            cohortZone: try TimeZoneDatabase.table(named: rules.retention.zoneInForce), in: reporting)
    }
}
