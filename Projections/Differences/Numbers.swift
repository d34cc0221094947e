import Churn
package import LedgerModel
package import PaidService
package import Primitives
import RetentionCohorts
package import Revenue

/// The numbers of all questions about all subscriptions, by month: cohorts, departures, segments, revenue and recurring
/// revenue. Units are added in any order, in parts that are merged.
package struct Numbers: Sendable {
    /// The instant, the rules and the calendar of numbers.
    package struct Question: Sendable {
        package let asOf: Instant
        package let rules: Rules
        package let tables: Set<ComparedTable>
        let calendar: BucketCalendar
        let retention: RetentionQuestion
        let reporting: ReportingCurrency?

        /// - Parameters:
        ///   - zone: the table of the time zone of the rules.
        ///   - cohortZone: the table of the time zone of the definition of retention.
        ///   - reporting: the currency of revenue; nil for that of each sale.
        package init(
            _ tables: Set<ComparedTable>, asOf: Instant, rules: Rules, zone: TimeZoneTable, cohortZone: TimeZoneTable,
            in reporting: ReportingCurrency? = nil
        ) {
            (self.tables, self.asOf, self.rules, self.reporting) = (tables, asOf, rules, reporting)
            calendar = BucketCalendar(.month, in: zone, weekStartsOn: rules.retention.weekStartsOn)
            retention = RetentionQuestion(rules.retention, zone: cohortZone, asOf: asOf)
        }
    }

    private let question: Question
    private var cohorts: CohortMatrix
    private var departures: ChurnCounts
    private var segments: [ChurnSegment: Int64] = [:]
    private var revenue: RevenueTable
    private var recurringRevenue: RevenueSeries

    package init(_ question: Question) {
        self.question = question
        let (calendar, rules) = (question.calendar, question.rules)
        cohorts = CohortMatrix(question.retention)
        departures = ChurnCounts(calendar)
        revenue = RevenueTable(calendar, cuts: [], booking: .movement, rules: rules.revenue, in: question.reporting)
        recurringRevenue = RevenueSeries(calendar, rules: rules, asOf: question.asOf, in: question.reporting)
    }

    /// Adds lineages that Apple accounts join.
    package mutating func add(_ lineages: inout AnalysedLineages) {
        let tables = question.tables
        if tables.contains(.cohorts) {
            for unit in lineages.units(by: question.retention.scope) { cohorts.add(unit) }
        }
        if tables.contains(.recurringRevenue) {
            recurringRevenue.add(lineages.lineages, catalogs: lineages.catalogs)
        }
        guard tables.contains(.churn) || tables.contains(.segments) || tables.contains(.revenue) else { return }
        for unit in lineages.units(by: .group) {
            if tables.contains(.revenue) { revenue.add(unit) }
            if tables.contains(.churn) {
                for episode in unit.churnEpisodes(question.rules.churn) { departures.add(episode) }
            }
            guard tables.contains(.segments) else { continue }
            for segment in ChurnSegment.allCases {
                let count = unit.rows(in: segment, question.rules).count
                if count > 0 { segments[segment, default: 0] += Int64(count) }
            }
        }
    }

    package mutating func merge(_ other: Numbers) {
        cohorts.merge(other.cohorts)
        departures.merge(other.departures)
        segments.merge(other.segments, uniquingKeysWith: &+)
        revenue.merge(other.revenue)
        recurringRevenue.merge(other.recurringRevenue)
    }
}

/// Lineages that Apple accounts join, and the units of their purchases, which are evaluated once for all numbers.
package struct AnalysedLineages {
    package let lineages: [Lineage]
    package let catalogs: [Symbol: CatalogHistory]
    private let asOf: Instant
    private var groups: [PurchaseUnit]?
    private var products: [PurchaseUnit]?

    package init(_ lineages: [Lineage], at asOf: Instant, catalogs: [Symbol: CatalogHistory]) {
        (self.lineages, self.asOf, self.catalogs) = (lineages, asOf, catalogs)
    }

    package mutating func units(by scope: PurchaseUnit.Scope) -> [PurchaseUnit] {
        switch scope {
        case .group:
            let units = groups ?? lineages.purchaseUnits(by: scope, at: asOf, catalogs: catalogs)
            groups = units
            return units
        case .product:
            let units = products ?? lineages.purchaseUnits(by: scope, at: asOf, catalogs: catalogs)
            products = units
            return units
        }
    }
}

extension Numbers {
    /// The numbers that are not 0.
    package var cells: [NumberCell: Int64] {
        var cells: [NumberCell: Int64] = [:]
        func add(_ table: ComparedTable, _ labels: [NumberCell.Label], _ currency: String?, _ fields: [(String, Int64)])
        {
            for (field, value) in fields where value != 0 {
                cells[NumberCell(table, labels, currency: currency, field: field), default: 0] &+= value
            }
        }
        for row in cohorts.rows {
            let labels = row.key.labels
            add(.cohorts, labels, nil, [("size", Int64(row.size))])
            for (k, cell) in row.cells.enumerated() {
                let labels = labels + [NumberCell.Label("k", "\(k)")]
                add(
                    .cohorts, labels, nil,
                    [
                        ("eligible", Int64(cell.eligible)), ("retained", Int64(cell.retained)),
                        ("pending", Int64(cell.pending)), ("unknownPrice", Int64(cell.net.unknownCount)),
                    ])
                for entry in cell.net.entries {
                    add(.cohorts, labels, entry.currency?.text ?? "unknown", [("net", entry.amount)])
                }
            }
        }
        for (bucket, classes) in departures.counts {
            add(
                .churn, [NumberCell.Label("period", bucket.name)], nil,
                classes.map { ($0.key.rawValue, Int64($0.value)) })
        }
        for (segment, count) in segments {
            add(.segments, [NumberCell.Label("segment", segment.rawValue)], nil, [("rows", count)])
        }
        for (key, row) in revenue.rows {
            let labels = [NumberCell.Label("period", key.bucket.name)]
            add(.revenue, labels, key.currency?.text ?? "unknown", row.amounts)
            add(.revenue, labels + [NumberCell.Label("currency", key.currency?.text ?? "unknown")], nil, row.counts)
        }
        for row in recurringRevenue.rows {
            let labels = [NumberCell.Label("period", row.bucket.name)]
            add(.recurringRevenue, labels, row.currency?.text ?? "unknown", row.amounts)
            add(.recurringRevenue, labels, nil, [("unknownPrice", Int64(row.unknownPrice))])
        }
        return cells
    }
}

extension CohortKey {
    fileprivate var labels: [NumberCell.Label] {
        [NumberCell.Label("cohort", bucket?.name ?? "unknown")]
            + (duration.map { [NumberCell.Label("duration", $0.description)] } ?? [])
    }
}

extension RevenueTable.Row {
    fileprivate var amounts: [(String, Int64)] {
        [
            ("gross", gross), ("refunds", refunds), ("reversals", reversals), ("upgradeCredits", upgradeCredits),
            ("net", net), ("proceedsBeforeTax", proceedsBeforeTax),
        ]
    }

    fileprivate var counts: [(String, Int64)] {
        [
            ("charges", Int64(charges)), ("unknownProceeds", Int64(unknownProceeds)),
            ("unknownPrice", Int64(unknownPrice)), ("unknownRate", Int64(unknownRate)),
            ("unitsAtHigherRate", Int64(unitsAtHigherRate)), ("unitsAtKnownRate", Int64(unitsAtKnownRate)),
        ]
    }
}

extension RevenueSeries.Row {
    fileprivate var amounts: [(String, Int64)] {
        [("opening", opening), ("closing", closing), ("churnedInRetry", churnedInRetry)]
            + changes.map { ($0.key.rawValue, $0.value) }
    }
}
