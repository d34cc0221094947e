import AppStoreModel
import FoundationEssentials
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import RetentionCohorts
import Testing

/// The tables of `worked/retention.json` and `VendorTables`, worked by hand.
@Suite struct `Retention, worked by hand` {
    private static let table: JSONView? = TestEnvironment.worked.flatMap { folder in
        FileManager.default.contents(atPath: folder + "/retention.json").flatMap {
            try? JSONDocument(parsing: Array($0)).root
        }
    }

    private struct Subscriber {
        let id: String
        let unit: [PurchaseUnit]
    }

    private static func subscribers(_ table: JSONView, _ question: RetentionQuestion) -> [Subscriber] {
        let catalog = Catalog(worked: table["catalog"])
        let history = CatalogHistory([CatalogChange(catalog, digest: .zero, recordedAt: .earliest, position: 0)])
        return (table["customers"]?.elements ?? []).enumerated().map { index, view in
            let purchases = WorkedPurchases(view, number: index + 1)
            let lineages = Lineage.components(of: [purchases.key: purchases.timeline])
            return Subscriber(
                id: view["id"]?.string ?? "",
                unit: lineages.purchaseUnits(by: question.scope, at: question.asOf, catalogs: ["app": history]))
        }
    }

    private func zone(_ name: String) throws -> TimeZoneTable {
        if name == "UTC" { return .utc }
        let bytes = try #require(FileManager.default.contents(atPath: "/usr/share/zoneinfo/" + name))
        return try #require(TimeZoneTable(name: name, tzif: Array(bytes)))
    }

    @Test func `has the cells of every table`() throws {
        guard let table = Self.table else {
            print("worked tables: absent")
            return
        }
        let vendors = try JSONDocument(parsing: Array(VendorTables.text.utf8)).root
        var count = 0
        for expected in (table["expected"]?.elements ?? []) + (vendors.elements ?? []) {
            var rules = Rules.Retention()
            rules.definition = try #require(.init(rawValue: expected["definition"]?.string ?? ""))
            let question = RetentionQuestion(
                rules, zone: try zone(expected["zone"]?.string ?? ""), asOf: table.instant("t"))
            var matrix = CohortMatrix(question)
            var members: [String: [String]] = [:]
            for subscriber in Self.subscribers(table, question) {
                for unit in subscriber.unit {
                    matrix.add(unit)
                    guard let member = CohortMember(unit, question) else { continue }
                    let name = "\(member.bucket?.name ?? "unknown") \(member.cohortDuration)"
                    members[name, default: []].append(subscriber.id)
                }
            }
            let rows = matrix.rows
            #expect(members["unknown any", default: []] == expected["unknown"]?.texts)
            for cohort in expected["cohorts"]?.elements ?? [] {
                let name = "\(cohort["cohort"]?.string ?? "") \(cohort["duration"]?.string ?? "any")"
                let place = Comment(rawValue: "\(rules.definition) \(question.calendar.zone.name) \(name)")
                #expect(members[name] == cohort["members"]?.texts, place)
                let row = try #require(
                    rows.first { "\($0.key.bucket?.name ?? "") \($0.key.duration?.description ?? "any")" == name })
                #expect(Int64(row.size) == cohort["size"]?.integer, place)
                let cells = cohort["cells"]?.elements ?? []
                #expect(row.cells.count == cells.count, place)
                for (index, (cell, expected)) in zip(row.cells, cells).enumerated() {
                    let place = Comment(rawValue: "\(place) k = \(index)")
                    #expect(expected["k"]?.integer == Int64(index), place)
                    #expect(Int64(cell.eligible) == expected["eligible"]?.integer, place)
                    #expect(Int64(cell.retained) == expected["retained"]?.integer, place)
                    #expect(Int64(cell.pending) == expected["pending"]?.integer, place)
                    #expect(cell.isIncomplete == expected["incomplete"]?.bool, place)
                    count += 1
                }
            }
        }
        #expect(count >= 100)
    }
}

extension CohortMember {
    /// The duration in the cohort's key.
    fileprivate var cohortDuration: String {
        cohort.duration?.description ?? "any"
    }
}

extension JSONView {
    fileprivate var texts: [String] { elements?.compactMap(\.string) ?? [] }
}
