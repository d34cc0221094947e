import AppStoreSimulation
import FoundationEssentials
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import RetentionCohorts
import Revenue
import Testing

/// The laws of retention and revenue over simulated histories.
@Suite struct `Retention and revenue` {
    private static let history = Simulation(seed: TestEnvironment.seed, customers: 60).run()
    private static let asOf = history.truth.knownUntil

    private func question(
        _ definition: Rules.Retention.Definition = .default, zone: TimeZoneTable = .utc, cuts: [PurchaseCut] = []
    ) -> RetentionQuestion {
        var rules = Rules.Retention()
        rules.definition = definition
        return RetentionQuestion(rules, zone: zone, cuts: cuts, asOf: Self.asOf)
    }

    private func matrix(_ units: [[Lineage]], _ question: RetentionQuestion) -> CohortMatrix {
        var matrix = CohortMatrix(question)
        for lineages in units {
            for unit in lineages.purchaseUnits(by: question.scope, at: question.asOf, catalogs: [:]) {
                matrix.add(unit)
            }
        }
        return matrix
    }

    /// The rows as text, in their order.
    private func text(_ matrix: CohortMatrix) -> [String] {
        matrix.rows.map { row in
            let cells = row.cells.map {
                let net = $0.net.entries.sorted { ($0.currency?.text ?? "") < ($1.currency?.text ?? "") }
                return "\($0.eligible) \($0.retained) \($0.pending) \($0.isIncomplete) "
                    + net.map { "\($0.currency?.text ?? "-") \($0.amount)" }.joined(separator: " ")
            }
            return
                "\(row.key.bucket?.name ?? "unknown") \(row.key.duration?.description ?? "-") \(row.key.cut) \(row.size) \(cells)"
        }
    }

    @Test(arguments: Rules.Retention.Definition.allCases)
    func `do not depend on order, repetition or parts`(_ definition: Rules.Retention.Definition) throws {
        let question = question(definition, cuts: [.product, .storefront])
        let facts = try SimulatedFacts(Self.history.artifacts)
        let expected = text(matrix(facts.units, question))
        #expect(expected.count > 5)
        var generator = SeededRandom(seed: TestEnvironment.seed)
        for _ in 0..<3 {
            let again = facts.observations.filter { _ in generator.chance(30) }
            let shuffled = (facts.observations + again).shuffled(using: &generator)
            let units = SimulatedFacts(shuffled).units.shuffled(using: &generator)
            #expect(text(matrix(units, question)) == expected)
            let half = Int.random(in: 0...units.count, using: &generator)
            var merged = matrix(Array(units[half...]), question)
            merged.merge(matrix(Array(units[..<half]), question))
            #expect(text(merged) == expected)
        }
    }

    @Test(arguments: Rules.Retention.Definition.allCases)
    func `add up over the cuts of a cohort`(_ definition: Rules.Retention.Definition) throws {
        let units = try SimulatedFacts(Self.history.artifacts).units
        let divided = matrix(units, question(definition, cuts: [.product, .storefront])).rows
        let rows = matrix(units, question(definition)).rows
        for row in rows {
            let parts = divided.filter { $0.key.bucket == row.key.bucket && $0.key.duration == row.key.duration }
            #expect(parts.reduce(0) { $0 + $1.size } == row.size)
            #expect(parts.allSatisfy { $0.cells.count <= row.cells.count })
            for (k, cell) in row.cells.enumerated() {
                let cells = parts.filter { k < $0.cells.count }.map { $0.cells[k] }
                #expect(cells.reduce(0) { $0 + $1.eligible } == cell.eligible, "\(row.key) \(k)")
                #expect(cells.reduce(0) { $0 + $1.retained } == cell.retained, "\(row.key) \(k)")
                #expect(cells.reduce(0) { $0 + $1.pending } == cell.pending, "\(row.key) \(k)")
                let net = cells.reduce(into: Amounts()) { $0.add($1.net) }
                #expect(Set(net.entries) == Set(cell.net.entries), "\(row.key) \(k)")
            }
        }
        #expect(rows.contains { $0.cells.count > 3 })
    }

    @Test func `change only the cells of a subscriber who is added`() throws {
        let question = question()
        let units = try SimulatedFacts(Self.history.artifacts).units
        let all = Dictionary(uniqueKeysWithValues: matrix(units, question).rows.map { ($0.key, $0) })
        for index in units.indices.prefix(20) {
            var others = units
            let added = others.remove(at: index)
            let rest = matrix(others, question).rows
            let members = added.purchaseUnits(by: question.scope, at: question.asOf, catalogs: [:])
                .compactMap { CohortMember($0, question) }
            let touched = Set(members.map(\.cohort))
            for row in rest where !touched.contains(row.key) {
                #expect(all[row.key]?.size == row.size)
                #expect(all[row.key]?.cells == row.cells)
            }
            for (key, count) in Dictionary(grouping: members, by: \.cohort).mapValues(\.count) {
                #expect(all[key]?.size == (rest.first { $0.key == key }?.size ?? 0) + count)
            }
        }
    }

    @Test func `move members between cohorts with the zone, and change no member's cell`() throws {
        let bytes = try #require(FileManager.default.contents(atPath: "/usr/share/zoneinfo/Pacific/Apia"))
        let zone = try #require(TimeZoneTable(name: "Pacific/Apia", tzif: Array(bytes)))
        let (here, there) = (question(), question(zone: zone))
        var moved = 0
        for lineages in try SimulatedFacts(Self.history.artifacts).units {
            for unit in lineages.purchaseUnits(by: .group, at: Self.asOf, catalogs: [:]) {
                guard let one = CohortMember(unit, here), let other = CohortMember(unit, there) else { continue }
                if one.bucket?.name != other.bucket?.name { moved += 1 }
                for k in 0..<30 { #expect(one.standing(inCell: k)?.standing == other.standing(inCell: k)?.standing) }
            }
        }
        #expect(moved > 0)
    }

    @Test func `sum the movement of every bucket exactly`() throws {
        let units = try SimulatedFacts(Self.history.artifacts).units
        for interval in BucketCalendar.Interval.allCases {
            let calendar = BucketCalendar(interval, in: .utc, weekStartsOn: .monday)
            var series = RevenueSeries(calendar, rules: Rules(), asOf: Self.asOf)
            var closing = Amounts()
            for lineages in units {
                series.add(lineages, catalogs: [:])
                for unit in lineages.purchaseUnits(by: .group, at: Self.asOf, catalogs: [:]) {
                    closing.add(unit.monthlyRevenue(.default))
                }
            }
            let rows = series.rows
            var last: [String: Int64] = [:]
            for row in rows {
                let currency = row.currency?.text ?? "-"
                #expect(row.opening == last[currency, default: 0])
                #expect(row.changes.values.reduce(row.opening, +) == row.closing)
                last[currency] = row.closing
            }
            #expect(rows.last { $0.currency == nil }?.unknownPrice ?? 0 == closing.unknownCount)
            // The sums of all changes are what the subscribers pay at the end.
            for (currency, amount) in last where currency != "-" {
                #expect(closing[Symbol(currency)] == amount, "\(interval) \(currency)")
            }
            #expect(last.count > 2)
        }
    }

    @Test func `add up to the movements of money, however they are divided`() throws {
        let units = try SimulatedFacts(Self.history.artifacts).units
            .flatMap { $0.purchaseUnits(by: .group, at: Self.asOf, catalogs: [:]) }
        var net = Amounts()
        for unit in units { for charge in unit.charges { net.add(charge) } }
        for booking in RevenueTable.Booking.allCases {
            for cuts in [[], PurchaseCut.allCases] {
                let calendar = BucketCalendar(.day, in: .utc, weekStartsOn: .monday)
                var table = RevenueTable(calendar, cuts: cuts, booking: booking, rules: Rules().revenue)
                for unit in units { table.add(unit) }
                for entry in net.entries {
                    let sum = table.rows.filter { $0.key.currency == entry.currency }.map(\.value.net).reduce(0, +)
                    #expect(sum == entry.amount)
                }
                #expect(table.rows.values.map(\.unknownPrice).reduce(0, +) == net.unknownCount)
            }
        }
    }
}
