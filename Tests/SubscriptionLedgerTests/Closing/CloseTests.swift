import AppStoreModel
import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `A close of numbers` {
    private static let simulated = SimulatedHistory.first
    private static let end = simulated.history.truth.knownUntil

    private func query(_ name: String) -> CloseQuery {
        var query = CloseQuery(name)
        query.asOf = Self.end
        return query
    }

    private func close(_ ledger: LedgerWriter, _ query: CloseQuery) async throws -> CloseAnswer {
        try await ledger.close(try ledger.reader.closingNumbers(query))
    }

    @Test func `stores the numbers of all answers, and their terms`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        let size = try scratch.ledger.reader.log.size()
        let answer = try await close(scratch.ledger, query("first"))
        let stored = Dictionary(uniqueKeysWithValues: answer.rows.map { ($0.name, $0.value) })
        let expected = try scratch.ledger.reader.answeredNumbers(at: Self.end)
        #expect(expected.count > 500)
        for (name, value) in expected { #expect(stored[name] == value, "\(name)") }
        #expect(stored.values.allSatisfy { $0 != 0 })

        let record = try #require(try scratch.ledger.log.reader.record(at: size))
        #expect(record.kind == .numbersClosed && record.artifact == .closeCells && record.trust == .own)
        let terms = answer.close.terms
        guard case .object(let members) = terms else { return }
        let values = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
        #expect(values["asOf"] == JSONValue(Self.end) && values["size"] == .integer(Int64(size)))
        #expect(values["rules"] == .string(Rules().digest.hex) && values["definition"] == .string("default"))
        guard case .string(let note)? = values["checkpoint"] else { return }
        #expect(note.contains("\n\(size)\n"))

        scratch.close()
        let report = try await LedgerAudit(
            Ledger.Configuration(folder: scratch.folder) { .latest }, LedgerAudit.Options()
        ).run { _ in }
        #expect(report.firstBad == nil)
    }

    @Test func `of a name again is a new version`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Array(Self.simulated.jws.prefix(200)))
        let first = try await close(scratch.ledger, query("q"))
        try await scratch.ingestInBulk(Self.simulated.jws)
        let second = try await close(scratch.ledger, query("q"))
        #expect(first.close.version == 1 && second.close.version == 2)
        let reader = scratch.ledger.reader
        #expect(try reader.close(named: "q").rows == second.rows)
        #expect(try reader.close(named: "q@1").rows == first.rows && first.rows != second.rows)
        #expect(try reader.closeList().closes.map(\.version) == [1, 2])
        for name in ["r", "q@0", "q@3", "q@x", "q@1@1", "@", ""] {
            #expect(throws: InvalidClose.self) { try reader.close(named: name) }
        }
    }

    @Test func `that is not one is refused, and nothing is stored`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1"))
        var query = CloseQuery("x", scope: CustomerScope(bundleId: String(repeating: "a", count: 4_000)))
        query.asOf = TestLedger.now
        let long = try shop.reader.closingNumbers(query)
        await #expect(throws: InvalidClose.self) { try await shop.ledger.close(long) }
        query.scope = CustomerScope()
        let sound = try shop.reader.closingNumbers(query).json.view
        for (name, old, new) in [
            ("cells", #""value":1"#, #""value":"1""#), ("asOf", "2026-01-15", "2999-01-15"),
            ("size", #""size":1"#, #""size":9"#), ("name", #""name":"x""#, #""name":"x@1""#),
        ] {
            let text = JSONValue(sound).serialized().replacing(old, with: new)
                .replacing(old.replacing("\"", with: "\\\""), with: new.replacing("\"", with: "\\\""))
            let numbers = try ClosingNumbers(try JSONDocument(parsing: Array(text.utf8)).root)
            await #expect(throws: InvalidClose.self, "\(name)") { try await shop.ledger.close(numbers) }
        }
        #expect(try shop.events(.numbersClosed).isEmpty)
        _ = try await shop.ledger.close(try ClosingNumbers(sound))
        #expect(try shop.events(.numbersClosed).count == 1)
    }

    @Test func `at the last instant that calendars have ends`() throws {
        let shop = try TestLedger()
        let query = AnalysisQuery(AsOfQuery(asOf: .latest))
        _ = try shop.reader.recurringRevenue(query)
        _ = try shop.reader.retryCounts(query)
    }

    @Test func `ends with its period, which is over`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1"))
        let reader = shop.reader
        func asOf(_ name: String, _ zone: String? = nil) throws -> String {
            var query = CloseQuery(name)
            query.zone = zone
            return try reader.closingNumbers(query).terms.asOf.iso8601
        }
        #expect(try asOf("2025") == "2026-01-01T00:00:00.000Z")
        #expect(try asOf("2025-Q3") == "2025-10-01T00:00:00.000Z")
        #expect(try asOf("2025-07", "America/Los_Angeles") == "2025-08-01T07:00:00.000Z")
        #expect(try asOf("2025-12", "Asia/Tokyo") == "2025-12-31T15:00:00.000Z")
        // The test's clock shows 2026-01-15.
        for name in ["2026", "2026-01", "2026-Q1", "2025-Q5", "2025-13", "2025-Q", "25-07", "summer", "a@1"] {
            #expect(throws: InvalidClose.self, "\(name)") { try asOf(name) }
        }
        #expect(throws: ZoneUnknown.self) { try asOf("2025", "Nowhere") }
    }
}

@Suite struct `A restatement` {
    private static let simulated = SimulatedHistory.first
    private static let end = simulated.history.truth.knownUntil
    private static let rates = """
        version: 1
        currency: USD
        rates: [{day: 2025-03-01, of: EUR, rate: "1.0352"}, {day: 2025-03-06, of: EUR, rate: "1.04"}]
        """

    /// Expects that the causes of each row sum to its difference, and that the rows lead from one set of numbers to the
    /// other.
    private func expect(
        _ rows: [RestatementRow], from before: [String: Int64], to after: [String: Int64]
    ) {
        let names = Set(before.keys).union(after.keys)
        for row in rows {
            #expect(row.before + row.causes.reduce(0) { $0 + $1.change } == row.after, "\(row.name)")
            guard names.contains(row.name) else { continue }
            #expect(row.before == before[row.name] ?? 0 && row.after == after[row.name] ?? 0, "\(row.name)")
        }
        let moved = Set(rows.filter { $0.before != $0.after }.map(\.name))
        for name in names where before[name] != after[name] { #expect(moved.contains(name), "\(name)") }
    }

    @Test func `attributes every move since a close to late events, refunds, reversals, rules and rates`() async throws
    {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        let (jws, ledger) = (Self.simulated.jws, scratch.ledger)
        // Every fourth artifact arrives late.
        try await scratch.ingestInBulk(jws.enumerated().filter { $0.offset % 4 != 0 }.map(\.element))
        var query = CloseQuery("year")
        (query.asOf, query.currency) = (Self.end, "USD")
        let close = try await ledger.close(try ledger.reader.closingNumbers(query))
        let before = try ledger.reader.answeredNumbers(at: Self.end, currency: "USD")

        let late = jws.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
        try await scratch.ingestInBulk(Array(late.prefix(late.count / 2)))
        var rules = Rules()
        rules.revenue.standardRate = 7_500
        rules.retention.bridge = .retry
        _ = try await ledger.activate(rules, text: "", by: "test")
        _ = try await ledger.apply(try RatesFile(text: Self.rates, name: "rates.yaml"))
        try await scratch.ingestInBulk(late)

        let found = try ledger.reader.restatement(ofClose: "year")
        let after = try ledger.reader.answeredNumbers(at: Self.end, currency: "USD")
        expect(found.rows, from: before, to: after)
        var causes: [String: Int] = [:]
        for cause in found.rows.flatMap(\.causes) { causes[cause.cause, default: 0] += cause.evidence.count }
        #expect(Set(causes.keys).isSuperset(of: ["lateEvent", "refund", "rule", "rate"]), "\(causes)")
        #expect(causes["program"] == nil)
        #expect(found.from == close.close.position && found.close?.name == "year")

        // Each event of a refund is the first that states it.
        let reader = scratch.ledger.log.reader
        for position in Set(found.rows.flatMap(\.causes).filter { $0.cause == "refund" }.flatMap(\.evidence)) {
            let evidence = try #require(try reader.evidence(at: position))
            #expect(!evidence.isEmpty)
        }

        // Nothing more has happened, so a second close has nothing to restate.
        let again = try await ledger.close(try ledger.reader.closingNumbers(query))
        #expect(again.close.version == 2)
        #expect(try ledger.reader.restatement(ofClose: "year").rows.isEmpty)
        // The first version still has.
        let first = try ledger.reader.restatement(ofClose: "year@1") { $0.to = again.close.position }
        #expect(first.rows.count == found.rows.count)

        // Rules by hand come last.
        var byHand = rules
        byHand.revenue.standardRate = 8_000
        let other = try ledger.reader.restatement(ofClose: "year") { $0.rules = byHand }
        let last = try ledger.reader.answeredNumbers(at: Self.end, byHand, currency: "USD")
        expect(other.rows, from: after, to: last)
        #expect(!other.rows.isEmpty)
        #expect(other.rows.allSatisfy { $0.causes.allSatisfy { $0.cause == "rule" && $0.evidence.isEmpty } })
    }

    @Test func `between any two sizes leads from the numbers known at one to those known at the other`() async throws {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(Self.simulated.jws)
        let reader = scratch.ledger.reader
        let size = try reader.log.size()
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        for _ in 0..<3 {
            let from = Position.random(in: size / 2...size, using: &generator)
            let to = Position.random(in: from...size, using: &generator)
            var query = RestatementQuery(asOf: Self.end, from: from)
            query.to = to
            let rows = try reader.restatement(query).rows
            expect(
                rows, from: try reader.answeredNumbers(at: Self.end, knownAt: from),
                to: try reader.answeredNumbers(at: Self.end, knownAt: to))
        }
    }

    @Test func `counts entitled customers once, also after a merge`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        try await shop.post(Purchase("2"), customerId: "bob")
        let from = try shop.reader.log.size()
        try await shop.post(Purchase("3"), customerId: "alice")
        try await shop.post(Purchase("4"), customerId: "carol")
        _ = try await shop.ledger.merge(
            .id("bob"), into: "alice", by: .admin, scope: CustomerScope(), source: .operator)
        let rows = try shop.reader.restatement(RestatementQuery(asOf: TestLedger.now, from: from)).rows
        let row = try #require(rows.first { $0.table == "customers" })
        #expect(row.before == 2 && row.after == 2)
        #expect(row.causes.map { "\($0.cause) \($0.change)" } == ["merge -1", "link 1"])
    }
}
