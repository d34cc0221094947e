import AppStoreModel
import AppStoreSimulation
import Churn
import EventLog
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import Revenue
import SubscriptionLedger
import Testing

@Suite struct `Questions about all subscriptions` {
    private static let simulated = SimulatedHistory.first

    private func query(_ knownAt: UInt64? = nil) -> AnalysisQuery {
        var question = AsOfQuery(asOf: Self.simulated.history.truth.knownUntil)
        question.knownAt = knownAt.map { .size($0) }
        return AnalysisQuery(question)
    }

    /// The JSON of every answer.
    private func answers(_ reader: LedgerReader, _ query: AnalysisQuery) throws -> [String] {
        var divided = query
        (divided.interval, divided.cuts, divided.zone) = (.week, PurchaseCut.allCases, "America/Los_Angeles")
        var vendor = query
        vendor.definition = .appStoreConnect
        let answers: [any LedgerAnswer] =
            try [
                try reader.cohorts(query), try reader.cohorts(divided), try reader.cohorts(vendor),
                try reader.members(ofCell: 1, ofCohort: "2025-03", query), try reader.revenue(divided),
                try reader.revenue(query, bookedBy: .sale), try reader.recurringRevenue(query),
                try reader.charges(query),
                try reader.churnCounts(query), try reader.retryCounts(divided), try reader.recoveryCurve(query),
                try reader.offerFunnel(query),
            ] + ChurnSegment.allCases.map { try reader.churn($0, query) }
        return answers.map { $0.json.serialized() }
    }

    /// The answers about all subscriptions and about some customers.
    private func everyAnswer(_ reader: LedgerReader, _ knownAt: UInt64?) throws -> [String] {
        var converted = query(knownAt)
        converted.currency = "USD"
        let question = query(knownAt).question
        var all = try answers(reader, query(knownAt))
        all += try [reader.revenue(converted).json, reader.recurringRevenue(converted).json].map { $0.serialized() }
        for id in Self.customers {
            all.append(try reader.customer(id, question).json.serialized())
            all.append(try reader.offers(forCustomer: id, question).json.serialized())
        }
        return all
    }

    private static let customers = ["alice", "bob", "carol"]

    /// Appends one of the ledger's own events, or a posting for a customer.
    private func appendOwnEvent(
        to ledger: LedgerWriter, _ number: Int, _ generator: inout SeededGenerator
    ) async throws {
        switch number % 4 {
        case 0:
            let group = StoreCatalog.proGroup
            let text = """
                version: 1
                bundleId: \(StoreConfiguration().bundleId)
                groups: [{id: "\(group)"}]
                products: [{id: pro.monthly, type: autoRenewable, group: "\(group)", duration: P1M, \
                entitlements: [pro\(number)]}]
                """
            _ = try await ledger.apply(try CatalogFile(text: text, name: "catalog.yaml"))
        case 1:
            var rules = Rules()
            rules.retention.bridge = Rules.Retention.Bridge.allCases[number / 4 % 3]
            rules.revenue.standardRate = 5_000 + number
            _ = try await ledger.activate(rules, text: "", by: "test")
        case 2:
            let day = UTCDay(of: Self.simulated.history.changes[number % Self.simulated.history.changes.count].date)
            let text = "version: 1\ncurrency: USD\nrates: [{day: \(day), of: EUR, rate: \"1.\(number)\"}]"
            _ = try await ledger.apply(try RatesFile(text: text, name: "rates.yaml"))
        default:
            let transactions = Self.simulated.artifacts.compactMap(\.parts.first)
            let posted = (0..<3).compactMap { _ in transactions.randomElement(using: &generator) }
            _ = try await ledger.post(
                TransactionPosting(
                    signedTransactions: posted.map { String(decoding: $0, as: UTF8.self) },
                    customerId: Self.customers.randomElement(using: &generator)),
                by: .backend)
        }
    }

    @Test func `known at a size are those of a ledger that ended there`() async throws {
        let jws = Self.simulated.jws
        let growing = try ScratchLedger(trust: SimulatedHistory.trust)
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        let count = TestEnvironment.isLong ? 200 : 8
        var earlier: [(size: UInt64, answers: [String])] = []
        for step in 0..<count {
            let ranges = [step, step + 1].map { jws.count * $0 / count }
            try await growing.ingestInBulk(Array(jws[ranges[0]..<ranges[1]]))
            try await appendOwnEvent(to: growing.ledger, step, &generator)
            let reader = growing.ledger.reader
            earlier.append((try reader.log.size(), try everyAnswer(reader, nil)))
        }
        for (size, expected) in earlier {
            let found = try everyAnswer(growing.ledger.reader, size)
            for (one, other) in zip(found, expected) {
                #expect(one == other, "seed \(TestEnvironment.seed), known at \(size)")
            }
        }
        #expect(Set(earlier.map(\.answers)).count == count)
    }

    @Test func `do not depend on the rules of access`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        let expected = try answers(scratch.ledger.reader, query())
        var rules = Rules()
        rules.access.ownGraceDays = 9
        rules.access.limitedAccessDays = 9
        rules.access.renewalLeewayMinutes = 0
        rules.access.proratedRefund = .keepToExpiry
        var asked = query()
        asked.question.rules = rules
        #expect(try answers(scratch.ledger.reader, asked) == expected)
        asked.question.rules?.retention.bridge = .none
        #expect(try answers(scratch.ledger.reader, asked) != expected)
    }

    @Test func `include the environment and the app in question alone`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        let reader = scratch.ledger.reader
        var asked = query()
        let all = try reader.charges(asked).rows
        #expect(all.count > 300)
        asked.scope.environment = .sandbox
        #expect(try reader.charges(asked).rows.isEmpty)
        #expect(try reader.cohorts(asked).rows.isEmpty)
        asked.scope = CustomerScope(bundleId: "com.example.other")
        #expect(try reader.recurringRevenue(asked).rows.isEmpty)
        asked.scope = CustomerScope(bundleId: StoreConfiguration().bundleId)
        #expect(try reader.charges(asked).rows == all)
    }

    @Test func `have cells that open into their members`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        let reader = scratch.ledger.reader
        let cohorts = try reader.cohorts(query())
        var opened = 0
        for (name, rows) in Dictionary(grouping: cohorts.rows, by: \.cohort) where name != "unknown" {
            for k in 0..<4 {
                let members = try reader.members(ofCell: k, ofCohort: name, query()).subscriptions
                let cells = rows.compactMap { $0.cells.count > k ? $0.cells[k] : nil }
                #expect(members.count == cells.map(\.eligible).reduce(0, +))
                #expect(members.count { $0.retained == true } == cells.map(\.retained).reduce(0, +))
                #expect(members.count { $0.retained == nil } == cells.map(\.pending).reduce(0, +))
                #expect(members.allSatisfy { !$0.evidence.isEmpty })
                opened += members.count
            }
        }
        #expect(opened > 40)
        let unknown = cohorts.rows.first { $0.cohort == "unknown" }?.size ?? 0
        #expect(try reader.members(ofCell: 0, ofCohort: "unknown", query()).subscriptions.count == unknown)
    }

    @Test func `count the departures, failures and offers that they list`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        let reader = scratch.ledger.reader
        let asked = query()
        let departures = try reader.churn(.churned, asked).rows
        let counted = try reader.churnCounts(asked).rows.flatMap(\.counts).map(\.count).reduce(0, +)
        #expect(departures.count == counted)
        #expect(counted > 40)
        for (name, count) in Dictionary(grouping: departures, by: { $0.churnClass ?? "-" }).mapValues(\.count) {
            let column = try reader.churnCounts(asked).rows.flatMap(\.counts).filter { $0.name == name }
            #expect(column.map(\.count).reduce(0, +) == count, "\(name)")
        }

        let (open, recovered) = (try reader.churn(.inRetry, asked).rows, try reader.churn(.recovered, asked).rows)
        let curve = try reader.recoveryCurve(asked).rows.map { row in
            Dictionary(uniqueKeysWithValues: row.counts.map { ($0.name, $0.count) })
        }
        func sum(_ name: String) -> Int { curve.compactMap { $0[name] }.reduce(0, +) }
        #expect(sum("open") == open.count)
        #expect(sum("recovered") == recovered.count { $0.boughtAgain == false })
        #expect(sum("boughtAgain") == recovered.count { $0.boughtAgain == true })
        #expect(recovered.count > 5)
        for (day, next) in zip(curve, curve.dropFirst()) {
            let ended = ["recovered", "boughtAgain", "lost", "open"].compactMap { day[$0] }.reduce(0, +)
            #expect((day["entered"] ?? 0) - ended == next["entered"])
        }
        var daily = asked
        daily.interval = .day
        #expect(try reader.retryCounts(daily).rows.last?.counts.first?.count == open.count)

        let funnel = try reader.offerFunnel(asked).rows.map { row in
            Dictionary(uniqueKeysWithValues: row.counts.map { ($0.name, $0.count) })
        }
        for row in funnel {
            #expect(row["started"] == row.filter { $0.key != "started" }.values.reduce(0, +))
        }
        var divided = asked
        divided.cuts = [.storefront, .product]
        let parts = try reader.offerFunnel(divided, byCalendar: true).rows
        #expect(Set(parts.map { $0.labels.map(\.name) }) == [["period", "offer", "cut.storefront", "cut.product"]])
        func total(_ rows: [CountRow], _ name: String) -> Int {
            rows.flatMap(\.counts).filter { $0.name == name }.map(\.count).reduce(0, +)
        }
        for name in ["started", "converted", "pending"] {
            #expect(try total(parts, name) == total(reader.offerFunnel(asked).rows, name))
        }
        #expect(parts.count > funnel.count)
        let trials = try reader.churn(.trialNotConverted, asked).rows
        #expect(!trials.isEmpty && trials.allSatisfy { $0.churnClass != nil })
        // Whoever may be won back has left and is not back.
        let gone = Set(departures.filter { $0.reactivatedAt == nil }.map(\.id))
        let winBack = try reader.churn(.winBack, asked).rows
        #expect(!winBack.isEmpty && winBack.allSatisfy { gone.contains($0.id) && $0.accrualLostAt != nil })
        for row in try reader.churn(.aboutToChurn, asked).rows {
            let state = try #require(
                try reader.state(
                    of: SubscriptionSelector(originalTransactionId: row.id.originalTransactionId), asked.question)?
                    .subscriptions.first)
            #expect(["active", "gracePeriod"].contains(state.status) && state.willRenew == false)
        }
    }

    @Test func `end when their work is limited`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        let limit = WorkLimit { .timeLimit }
        #expect(throws: WorkStopped.timeLimit) {
            try WorkLimit.$current.withValue(limit) { try scratch.ledger.reader.cohorts(query()) }
        }
        // The next analysis has its turn.
        #expect(try !scratch.ledger.reader.cohorts(query()).rows.isEmpty)
    }

    @Test func `refuse a list with more rows than its limit`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        var asked = query()
        let count = try scratch.ledger.reader.charges(asked).rows.count
        asked.rowLimit = count
        #expect(try scratch.ledger.reader.charges(asked).rows.count == count)
        asked.rowLimit = count - 1
        #expect(throws: AnswerTooLarge.self) { try scratch.ledger.reader.charges(asked) }
        #expect(throws: AnswerTooLarge.self) {
            asked.rowLimit = 1
            return try scratch.ledger.reader.churn(.churned, asked)
        }
    }

    @Test func `refuse a time zone that there is not`() throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        var asked = query()
        asked.zone = "America/Berlin"
        #expect(throws: ZoneUnknown.self) { try scratch.ledger.reader.cohorts(asked) }
        asked.zone = "../../../etc/passwd"
        #expect(throws: ZoneUnknown.self) { try scratch.ledger.reader.revenue(asked) }
    }
}
