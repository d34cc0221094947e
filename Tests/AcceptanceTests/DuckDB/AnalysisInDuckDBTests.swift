import AppStoreModel
import AppStoreSimulation
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import RetentionCohorts
import Revenue
import SubscriptionStatus
import Testing

/// Compares answers about a simulated business with SQL that was written by hand, over its transactions, movements of
/// money and histories.
@Suite("Analyses and DuckDB") struct AnalysisInDuckDBTests {
    private static func name(_ value: some Any) -> String { "\(value)" }

    /// Returns the amounts in the form of the query, in the order of their currencies.
    private static func text(_ amounts: Amounts) -> String {
        amounts.entries.compactMap { entry in
            entry.currency.flatMap { entry.amount == 0 ? nil : "\($0.text) \(entry.amount)" }
        }
        .sorted().joined(separator: " ")
    }

    private func writeQuestion(_ asOf: Instant, to database: DuckDB) throws {
        try database.write("question", columns: ["instant"], [["\(asOf.milliseconds)"]])
    }

    private func writeCharges(_ units: [PurchaseUnit], to database: DuckDB) throws {
        let columns = ["originalTransactionId", "kind", "time", "currency", "amount"]
        try database.write(
            "charges", columns: columns,
            units.flatMap(\.charges).map { charge in
                [
                    charge.key.originalTransactionId, charge.kind.rawValue, "\(charge.at.milliseconds)",
                    charge.currency?.text, charge.amount.map { "\($0)" },
                ]
            })
    }

    private func writeTransactions(_ facts: SimulatedFacts, to database: DuckDB) throws {
        let columns = [
            "originalTransactionId", "transactionId", "previous", "appTransactionId", "subscriptionGroup", "productId",
            "ownership", "purchaseDate", "expiresDate", "signedDate", "price", "offer", "terms", "isUpgraded",
            "revocationDate", "revocationType",
            "status",
        ]
        var statuses: [Digest: Int64] = [:]
        for keyed in facts.observations {
            guard case .notification(let fact) = keyed.observation.fact, let digest = fact.signedTransactionInfo else {
                continue
            }
            statuses[digest] = fact.status?.rawValue
        }
        let rows = facts.observations.compactMap { keyed -> [String?]? in
            guard case .subscription(let key) = keyed.key, case .transaction(let fact) = keyed.observation.fact,
                fact.type == .autoRenewable
            else { return nil }
            return [
                key.originalTransactionId, fact.transactionId.text, fact.previousOriginalTransactionId?.text,
                fact.appTransactionId?.text, fact.subscriptionGroupIdentifier?.text, fact.productId?.text,
                fact.inAppOwnershipType?.rawValue, fact.purchaseDate.map { "\($0.milliseconds)" },
                fact.expiresDate.map { "\($0.milliseconds)" }, "\(keyed.observation.source.time.milliseconds)",
                fact.price.map { "\($0.price)" }, fact.offer?.offerType.map { "\($0.rawValue)" },
                fact.offer?.offerDiscountType?.rawValue, "\(fact.isUpgraded)",
                fact.revocation.map { "\($0.revocationDate.milliseconds)" },
                fact.revocation?.revocationType?.rawValue,
                statuses[keyed.observation.source.name.digest].map { "\($0)" },
            ]
        }
        try database.write("transactions", columns: columns, rows)
    }

    @Test func `have the same retention`() async throws {
        try await blocking {
            let count = TestEnvironment.isLong ? 100_000 : 10_000
            let history = Simulation(seed: TestEnvironment.seed, customers: count, store: StoreConfiguration()).run()
            let facts = try SimulatedFacts(history.artifacts)
            // Every failed renewal is decided by then.
            let asOf = history.truth.knownUntil.advanced(byMilliseconds: 100 * Instant.millisecondsPerDay)
            let units = facts.units.flatMap { $0.purchaseUnits(by: .group, at: asOf, catalogs: [:]) }
            let database = try DuckDB()
            try writeQuestion(asOf, to: database)
            try writeTransactions(facts, to: database)
            try writeCharges(units, to: database)

            var rules = Rules.Retention()
            rules.bridge = .none
            var matrix = CohortMatrix(RetentionQuestion(rules, zone: .utc, asOf: asOf))
            for unit in units { matrix.add(unit) }
            var cells: [[String]: [String]] = [:]
            for row in matrix.rows {
                guard let bucket = row.key.bucket, let duration = row.key.duration else { continue }
                for (k, cell) in row.cells.enumerated() {
                    cells[[bucket.name, duration.description, "\(k)"]] = [
                        "\(cell.eligible)", "\(cell.retained)", Self.text(cell.net),
                    ]
                }
            }
            let names = [
                "7 days": "P1W", "1 month": "P1M", "2 months": "P2M", "3 months": "P3M", "6 months": "P6M",
                "1 year": "P1Y",
            ]
            var found: [[String]: [String]] = [:]
            for row in try database.rows("retention.sql") {
                found[[row[0], names[row[1]] ?? row[1], row[2]]] = Array(row[3...])
            }
            var wrong = 0
            for key in Set(cells.keys).union(found.keys).sorted(by: { $0.lexicographicallyPrecedes($1) })
            where cells[key] != found[key] {
                wrong += 1
                if wrong <= 5 {
                    Issue.record("\(key): \(Self.name(cells[key] ?? [])), in DuckDB \(Self.name(found[key] ?? []))")
                }
            }
            print("DuckDB: \(cells.count) cells of \(units.count) units, \(wrong) different")
            #expect(wrong == 0 && cells.count > 500)
        }
    }

    @Test func `give own grace to the same subscriptions`() async throws {
        try await blocking {
            var store = StoreConfiguration()
            store.gracePeriod = nil
            let history = Simulation(seed: TestEnvironment.seed, customers: 1_000, store: store).run()
            let lineages = try SimulatedFacts(history.artifacts).units
            var gained = 0
            for days in stride(from: Int64(0), to: 400, by: 50) {
                let asOf = history.truth.knownUntil.advanced(byMilliseconds: -days * Instant.millisecondsPerDay)
                let database = try DuckDB()
                try writeQuestion(asOf, to: database)
                try writeCharges(
                    lineages.flatMap { $0.purchaseUnits(by: .group, at: asOf, catalogs: [:]) }, to: database)
                var rows: [[String?]] = []
                for history in lineages.flatMap({ $0.histories(until: asOf, rules: Rules()) }) {
                    for transition in history.transitions {
                        rows.append([
                            history.key.originalTransactionId, "\(transition.at.milliseconds)", "\(rows.count)",
                            transition.to.status.rawValue, transition.to.expiresAt.map { "\($0.milliseconds)" },
                            transition.to.ownership?.rawValue,
                        ])
                    }
                }
                try database.write(
                    "history",
                    columns: ["originalTransactionId", "time", "number", "status", "expiresAt", "ownership"], rows)
                var other = Rules()
                other.access.ownGraceDays = 3
                let moved = lineages.flatMap { lineages in
                    zip(lineages.states(at: asOf, rules: Rules()), lineages.states(at: asOf, rules: other))
                        .filter { !$0.entitled && $1.entitled }.map { $0.0.key.originalTransactionId }
                }
                let found = try database.rows("own-grace.sql").map { $0[0] }
                #expect(found == moved.sorted(), "\(asOf)")
                gained += found.count
            }
            #expect(gained > 10)
        }
    }
}
