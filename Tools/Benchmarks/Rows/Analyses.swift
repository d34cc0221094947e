import Churn
import FactStore
import LedgerModel
import LedgerStorage
import PaidService
import Primitives
import ProjectionRuntime
import RetentionCohorts
import Revenue
import SubscriptionStatus

extension BenchmarkRow {
    /// One question about all subscriptions, answered from all facts.
    static let projectRetention = analysis("project-retention-cohorts", [.cohorts])
    static let projectChurn = analysis("project-churn", [.churn])
    static let projectRevenue = analysis("project-revenue", [.revenue])
    static let projectRecurringRevenue = analysis("project-recurring-revenue", [.recurringRevenue])
    /// All of them in one pass.
    static let projectAll = analysis("project-all", Question.allCases)

    /// The subscriptions of a million whose state another rule of access would move.
    static let diff = BenchmarkRow(
        name: "diff", unit: "s", limitName: scanName, target: .valueAtMost(10)
    ) { progress in
        try measure(progress) {
            FactSample.factCount / $0
        } _: { store, folder in
            var options = RebuildOptions()
            options.report = { _ in peak.update() }
            let units = try UnitFold(of: store.facts, options: options)
            try folder.create()
            let (old, asOf) = (Rules(), units.asOf)
            var new = old
            new.access.ownGraceDays = 3
            let counts = try units(in: folder.path, readsCustomers: false) { [new] _ in
                (moved: 0, all: 0, new: new)
            } add: { counts, unit in
                let lineages = unit.lineages
                let before = lineages.states(at: asOf, rules: old)
                counts.all += before.count
                guard lineages.states(at: asOf, rules: counts.new) != before else { return }
                counts.moved += 1
            } finish: {
                $0.all
            }
            return counts.reduce(0, +)
        }
    }

    fileprivate enum Question: CaseIterable { case cohorts, churn, revenue, recurringRevenue }

    private static func analysis(_ name: String, _ questions: [Question]) -> BenchmarkRow {
        BenchmarkRow(
            name: name, unit: "facts/s", limitName: scanName, target: .valueAtLeast(1_000_000)
        ) { progress in
            try measure(progress) { store, folder in
                var options = RebuildOptions()
                options.report = { _ in peak.update() }
                let units = try UnitFold(of: store.facts, options: options)
                try folder.create()
                let asOf = units.asOf
                let counts = try units(in: folder.path, readsCustomers: false) { _ in
                    AnalysisSums(asOf)
                } add: { sums, unit in
                    sums.add(unit.lineages, questions)
                } finish: {
                    $0.count
                }
                return counts.reduce(0, +)
            }
        }
    }
}

/// The sums of one thread.
private struct AnalysisSums {
    private(set) var count = 0
    private var matrix: CohortMatrix
    private var departures: ChurnCounts
    private var table: RevenueTable
    private var series: RevenueSeries
    private let asOf: Instant

    init(_ asOf: Instant) {
        let calendar = BucketCalendar(.month, in: .utc, weekStartsOn: .monday)
        let rules = Rules()
        matrix = CohortMatrix(RetentionQuestion(rules.retention, zone: .utc, asOf: asOf))
        departures = ChurnCounts(calendar)
        table = RevenueTable(calendar, cuts: [.product], booking: .movement, rules: rules.revenue)
        series = RevenueSeries(calendar, rules: rules, asOf: asOf)
        self.asOf = asOf
    }

    mutating func add(_ lineages: [Lineage], _ questions: [BenchmarkRow.Question]) {
        if questions.contains(.recurringRevenue) {
            series.add(lineages, catalogs: [:])
            count += 1
        }
        guard questions != [.recurringRevenue] else { return }
        for unit in lineages.purchaseUnits(by: .group, at: asOf, catalogs: [:]) {
            count += 1
            if questions.contains(.cohorts) { matrix.add(unit) }
            if questions.contains(.churn) {
                for episode in unit.churnEpisodes(Rules.Churn()) { departures.add(episode) }
            }
            if questions.contains(.revenue) { table.add(unit) }
        }
    }
}
