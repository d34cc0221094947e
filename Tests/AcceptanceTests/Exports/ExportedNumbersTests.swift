import AppStoreModel
import Churn
import Exports
import LedgerAPI
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import RetentionCohorts
import Revenue
import SubscriptionLedger
import TableFiles
import Testing

/// Compares the tables that DuckDB reads with the answers of the ledger.
@Suite struct `Exported tables` {
    /// The rows of each question, each value as text.
    private struct Answers {
        private let rows: [String: [[String]]]

        init(_ export: CompletedExport) throws {
            let lines = try Python.lines(
                Python.path(of: "answers.py", beside: #filePath), [export.manifestPath])
            rows = try Dictionary(
                uniqueKeysWithValues: lines.map { line in
                    let pair = try #require(try JSONDocument(parsing: Array(line.utf8)).root.elements)
                    let rows = (pair[1].elements ?? []).map { ($0.elements ?? []).map(Self.text) }
                    return (pair[0].string ?? "", rows)
                })
        }

        private static func text(_ value: JSONView) -> String {
            value.string ?? value.integer.map { "\($0)" } ?? value.bool.map { "\($0)" } ?? "null"
        }

        subscript(_ name: String) -> [[String]] { rows[name] ?? [] }
    }

    private static func query(_ ledger: NightlyLedger, _ environment: Environment, _ asOf: Instant) -> AnalysisQuery {
        AnalysisQuery(AsOfQuery(asOf: asOf), scope: CustomerScope(environment: environment))
    }

    @Test(arguments: (0..<3).map { TestEnvironment.seed &+ $0 })
    func `have the numbers of the answers`(_ seed: UInt64) async throws {
        let ledger = try NightlyLedger(seed: seed)
        var next = 0
        for night in 0..<20 { try await ledger.play(to: night, from: &next) }
        let asOf = ledger.instant(of: 19)
        let export = try await ledger.export(.parquet(.snappy), asOf: asOf, to: "full")
        let found = try await blocking { try Answers(export) }
        let reader = ledger.reader
        let size = try reader.size()
        #expect(
            found["events"].first?.prefix(4)
                == ["\(size)", "0", "\(size - 1)", "\(size)"], "positions without gaps, and a leaf for each")
        #expect(found["gaps"] == [["0"]], "each state holds until the next")

        var query = Self.query(ledger, .production, asOf)
        let revenue = try reader.revenue(query).rows.map { row in
            [
                row.period, row.currency ?? "unknown", "\(row.charges)", "\(row.gross)", "\(row.net)",
                "\(row.proceedsBeforeTax)", "\(row.unknownPrice)",
            ]
        }
        #expect(found["revenue"] == revenue.sorted { $0.lexicographicallyPrecedes($1) } && !revenue.isEmpty)

        let charges = Dictionary(grouping: try reader.charges(query).rows) { [$0.kind, $0.currency ?? ""] }
        let sums = charges.map { key, rows in
            key + [
                "\(rows.count)", "\(rows.reduce(0) { $0 + ($1.amount ?? 0) })",
                "\(rows.count { $0.amount == nil })",
            ]
        }
        #expect(found["charges"] == sums.sorted { $0.lexicographicallyPrecedes($1) })

        query.definition = .default
        let cohorts = try reader.cohorts(query).rows.flatMap { row in
            row.cells.enumerated().map { k, cell in
                [
                    row.cohort, row.duration ?? "all", "\(k)", "\(row.size)", "\(cell.eligible)", "\(cell.retained)",
                    "\(cell.pending)",
                ]
            }
        }
        let order = { (left: [String], right: [String]) in
            (left[0], left[1], Int(left[2]) ?? 0) < (right[0], right[1], Int(right[2]) ?? 0)
        }
        // The cuts of a cohort may end at different cells, so its last cells are compared where all have them.
        let counted = found["cohorts"].filter { row in cohorts.contains { $0.prefix(4) == row.prefix(4) } }
        #expect(
            counted == cohorts.filter { row in counted.contains { $0.prefix(3) == row.prefix(3) } }.sorted(by: order))
        #expect(counted.count > cohorts.count / 2)
        #expect(found["members"] == found["sizes"], "each member is in one cohort")

        // Each sale is that of one period, whose net is the sum of its movements.
        let sales = charges.filter { $0.key[0] == "sale" }
        #expect(found["sales"] == sales.map { [$0.key[1], "\($0.value.count)", "0"] }.sorted { $0[0] < $1[0] })
        let sold = sales.values.reduce(0) { $0 + $1.count }
        #expect(found["nets"] == [["\(sold)", "0", "0"]])
        let known = try reader.cohorts(query).rows.reduce(0) { $0 + $1.size }
        #expect((found["anchors"].first?.first).flatMap { Int($0) }.map { $0 > 0 && $0 <= known } ?? false)

        let recurring = try reader.recurringRevenue(query).rows.map { row in
            [row.period, row.currency ?? "unknown", "\(row.opening)"] + row.changes.map { "\($0.amount)" }
                + ["\(row.closing)", "\(row.unknownPrice)"]
        }
        // A month without recurring revenue has no row.
        let nothing = [String](repeating: "0", count: 10)
        #expect(
            found["mrr"].filter { $0.dropFirst(2) != nothing[...] }
                == recurring.filter { $0.dropFirst(2) != nothing[...] }
                .sorted { $0.lexicographicallyPrecedes($1) } && !recurring.isEmpty)
        #expect(found["waterfall"] == [["0"]], "each month closes as its changes say, and the next opens so")

        let segments = try ["aboutToChurn", "inRetry", "churned"].map { try ChurnSegment(named: $0) }
            .map { try reader.churn($0, query).rows }
        let gone = segments[2].count { $0.reactivatedAt == nil }
        #expect(found["churn"] == [[segments[0].count, segments[1].count, gone].map { "\($0)" }])
        let departures = try reader.churnCounts(query).rows.flatMap { row in
            row.counts.filter { $0.count > 0 }.map { [row.labels[0].value ?? "", $0.name, "\($0.count)"] }
        }
        #expect(
            found["departures"] == departures.sorted { $0.lexicographicallyPrecedes($1) } && !departures.isEmpty)
        let curve = try reader.recoveryCurve(query).rows.map { row in
            ["retryDay", "recovered", "boughtAgain", "lost", "open"].map { name in
                "\(row.counts.first { $0.name == name }?.count ?? -1)"
            }
        }
        #expect(found["retries"] == curve.filter { $0.dropFirst() != ["0", "0", "0", "0"] })

        let funnel = try reader.offerFunnel(query).rows.flatMap(\.counts)
        for (name, outcome) in [("started", nil), ("converted", "converted"), ("pending", "pending")] {
            let rows = found["offers"].filter { outcome == nil || $0[1] == outcome }
            let started = rows.reduce(0) { $0 + (Int($1[2]) ?? 0) }
            #expect(started == funnel.filter { $0.name == name }.reduce(0) { $0 + $1.count } && started > 0, "\(name)")
        }
    }

    @Test func `have the owners of the answers and the rows of the feed`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<25 { try await ledger.play(to: night, from: &next) }
        let export = try await ledger.export(.parquet(.snappy), asOf: ledger.instant(of: 24), to: "full")
        let found = try await blocking { try Answers(export) }
        let (owned, customers) = (found["owners"][0], found["customers"][0])
        #expect(owned[1] == "0" && [[owned[0]]] == found["owned"] && (Int(owned[0]) ?? 0) >= 3)
        // ann, ben, one whose id begins like a formula, and dan; the merge of ben was undone.
        #expect(customers == ["4", "0", "0"])
        let feed = try ledger.feed()
        try feed.advance()
        var (rows, cursor) = ([TransitionRow](), TransitionCursor?.none)
        while true {
            let page = try feed.page(after: cursor, limit: 1_000, environment: .production)
            rows += page.rows.map(\.row)
            cursor = page.cursor
            guard page.hasMore else { break }
        }
        #expect(
            found["feed"].first { $0[0] == "Production" }
                == ["Production", "\(rows.count)", "true", "\(rows.count { $0.cause != "time" })"])
    }

    @Test func `have the states of the answers`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<20 { try await ledger.play(to: night, from: &next) }
        let asOf = ledger.instant(of: 15)
        let export = try await ledger.export(.jsonLines, asOf: asOf, to: "full")
        let files = try NightlyLedger.files(of: export)
        let question = AsOfQuery(asOf: asOf)
        let rows = try String(decoding: files["subscriptions/part-00000.jsonl"] ?? [], as: UTF8.self).split(
            separator: "\n"
        )
        .map { try JSONDocument(parsing: Array($0.utf8)).root }
        #expect(rows.count > 20)
        for row in rows {
            var selector = SubscriptionSelector(originalTransactionId: row["original_transaction_id"]?.string ?? "")
            selector.environment = Environment(rawValue: row["environment"]?.string ?? "")
            let state = try #require(try ledger.reader.state(of: selector, question)?.subscriptions.first)
            #expect(row["status"]?.string == state.status && row["reason"]?.string == state.reason)
            #expect(row["access_until"]?.string == state.accessUntil?.iso8601)
            #expect(row["will_renew"]?.bool == state.willRenew && row["product_id"]?.string == state.productId)
            #expect(row["evidence"]?.elements?.compactMap(\.integer) == state.evidence.map { Int64($0) })
            #expect(row["offer_id"]?.string == state.offer?.id && row["price"]?.string == state.price.map(Self.decimal))
        }
    }

    private static func decimal(_ milliunits: Int64) -> String {
        let fraction = String(milliunits.magnitude % 1_000)
        return "\(milliunits < 0 ? "-" : "")\(milliunits.magnitude / 1_000)."
            + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
