import AppStoreModel
import AppStoreSimulation
import Churn
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `A difference of rules` {
    private static let simulated = SimulatedHistory.first
    /// A store without Apple's grace period.
    private static let withoutGrace: SimulatedHistory = {
        var store = StoreConfiguration.lifelike
        store.gracePeriod = nil
        return SimulatedHistory(seed: TestEnvironment.seed, customers: 80, store: store)
    }()

    private func ledger(_ history: SimulatedHistory = simulated) async throws -> ScratchLedger {
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(history.jws)
        return scratch
    }

    /// Instants a day after renewals failed, and the last one.
    private func instants(_ reader: LedgerReader) throws -> [Instant] {
        let end = Self.withoutGrace.history.truth.knownUntil
        let query = AnalysisQuery(AsOfQuery(asOf: end))
        let failed = try [ChurnSegment.recovered, .inRetry].flatMap { try reader.churn($0, query).rows }
        return [end]
            + failed.compactMap(\.endedAt).prefix(8).map { $0.advanced(byMilliseconds: Instant.millisecondsPerDay) }
    }

    private func query(_ t: Instant, _ change: (inout Rules) -> Void) -> DifferenceQuery {
        var rules = Rules()
        change(&rules)
        return DifferenceQuery(AsOfQuery(asOf: t), newRules: rules)
    }

    @Test func `of own grace lists exactly the subscriptions that failed within those days`() async throws {
        let scratch = try await ledger(Self.withoutGrace)
        let reader = scratch.ledger.reader
        var found = 0
        for t in try instants(reader) {
            let rows = try reader.difference(query(t) { $0.access.ownGraceDays = 3 }).rows
            let gained = rows.filter { $0.table == "access" && $0.field == "entitled" && $0.after == .bool(true) }
            let since = t.advanced(byMilliseconds: -3 * Instant.millisecondsPerDay)
            let failed = try reader.churn(.inRetry, AnalysisQuery(AsOfQuery(asOf: t))).rows
                .filter { ($0.endedAt ?? .earliest) > since }
            var expected: [[JSONValue.Member]] = []
            for row in failed {
                let state = try reader.state(
                    of: SubscriptionSelector(originalTransactionId: row.id.originalTransactionId), AsOfQuery(asOf: t))
                if state?.subscriptions.first?.status == "billingRetry" { expected.append(row.id.members) }
            }
            #expect(gained.map { Array($0.subject.prefix(3)) } == expected)
            #expect(gained.allSatisfy { $0.before == .bool(false) && $0.rule == "access.ownGraceDays" })
            #expect(rows.allSatisfy { ["access", "entitlements"].contains($0.table) && !$0.together })
            found += gained.count

            var back = query(t) { _ in }
            back.question.rules = Rules()
            back.question.rules?.access.ownGraceDays = 3
            let reversed = try reader.difference(back).rows
            #expect(reversed.count == rows.count)
            for (one, other) in zip(rows, reversed) {
                #expect(one.subject == other.subject && one.before == other.after && one.after == other.before)
            }
        }
        #expect(found > 0, "seed \(TestEnvironment.seed)")
    }

    @Test func `moves every number by as much as the answers differ`() async throws {
        let scratch = try await ledger()
        let reader = scratch.ledger.reader
        let t = Self.simulated.history.truth.knownUntil
        let changes: [@Sendable (inout Rules) -> Void] = [
            { $0.retention.bridge = .retry }, { $0.retention.zone = "Asia/Tokyo" },
            { $0.retention.definition = .calendarMonth }, { $0.churn.retryDays = 7 }, { $0.churn.winBackToDays = 30 },
            { $0.revenue.standardRate = 7_500 }, { $0.revenue.mrr = .iapkit },
            {
                $0.retention.bridge = .none
                $0.retention.zone = "America/Los_Angeles"
                $0.churn.retryDays = 30
                $0.revenue.higherAfterPaidDays = 90
                $0.revenue.higherRate = 9_000
            },
        ]
        let old = try reader.answeredNumbers(at: t, Rules())
        for change in changes {
            let asked = query(t, change)
            let answer = try reader.difference(asked)
            let rules = try #require(asked.newRules)
            let new = try reader.answeredNumbers(at: t, rules)
            var moved: [String: Int64] = [:]
            for row in answer.rows {
                guard case .integer(let before) = row.before, case .integer(let after) = row.after else { continue }
                moved[row.name, default: 0] += after - before
            }
            let names = Set(old.keys).union(new.keys)
            let expected = names.reduce(into: [:]) { $0[$1] = (new[$1] ?? 0) - (old[$1] ?? 0) }.filter { $0.value != 0 }
            let place = Comment(rawValue: answer.changes.map(\.rule).joined(separator: " "))
            #expect(!expected.isEmpty, place)
            for (name, change) in expected { #expect(moved[name] == change, "\(place) \(name)") }
            // A number of several currencies in a month is a count for each, which the answers have too.
            let known = moved.filter { $0.value != 0 && old.keys.contains($0.key) || new.keys.contains($0.key) }
            for (name, change) in known { #expect((expected[name] ?? 0) == change, "\(place) \(name)") }
            #expect(Set(answer.rows.map(\.rule)).isSubset(of: Set(answer.changes.map(\.rule))), place)
        }
    }

    @Test func `attributes each move to one field, and the moves of a cell chain`() async throws {
        let scratch = try await ledger()
        let t = Self.simulated.history.truth.knownUntil
        let asked = query(t) { rules in
            rules.revenue.standardRate = 6_000
            rules.revenue.higherRate = 9_000
            rules.revenue.higherAfterPaidDays = 100
        }
        let answer = try scratch.ledger.reader.difference(asked)
        #expect(
            answer.changes.map(\.rule)
                == ["revenue.standardRate", "revenue.higherRate", "revenue.higherAfterPaidDays"])
        var last: [String: JSONValue] = [:]
        for row in answer.rows {
            if let before = last[row.name] { #expect(before == row.before) }
            last[row.name] = row.after
        }
        let proceeds = answer.rows.filter { $0.field == "proceedsBeforeTax" }
        #expect(Set(proceeds.map(\.rule)).count == 3)
        // With other rates, a sale that reaches the higher one moves by more.
        #expect(proceeds.contains { $0.rule == "revenue.higherAfterPaidDays" && $0.together })
        #expect(proceeds.allSatisfy { $0.rule != "revenue.standardRate" || !$0.together })
    }

    @Test func `that no table reads moves nothing, and equal rules have none`() async throws {
        let scratch = try await ledger()
        let t = Self.simulated.history.truth.knownUntil
        let unread = try scratch.ledger.reader.difference(query(t) { $0.retention.weekStartsOn = .sunday })
        #expect(unread.changes.count == 1 && unread.rows.isEmpty && unread.summary.isEmpty)
        let equal = try scratch.ledger.reader.difference(query(t) { $0.name = "another name" })
        #expect(equal.changes.isEmpty && equal.rows.isEmpty)
    }
}

@Suite struct `A difference of catalogues and claims` {
    private static let text = """
        version: 1
        bundleId: com.example.app
        groups: [{id: g}]
        products: [{id: pro, type: autoRenewable, group: g, duration: P1M, entitlements: [pro]}]
        """

    private func catalog(_ text: String) throws -> Catalog { try Catalog(yaml: text, file: "catalog.yaml") }

    @Test func `lists the entitlements and the eligibility that move, by customer`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        var other = Purchase("2")
        other.productId = "other"
        try await shop.post(other, customerId: "bob")
        try await shop.apply(Self.text)
        var query = DifferenceQuery(AsOfQuery(asOf: TestLedger.now))
        let product = "{id: other, type: autoRenewable, group: g, duration: P1M, entitlements: [extra]}"
        query.newCatalog = try catalog(
            Self.text.replacing("entitlements: [pro]}]", with: "entitlements: [premium]}, \(product)]"))
        let answer = try shop.reader.difference(query)
        #expect(
            answer.changes.map(\.rule) == ["catalog.products.pro.entitlements", "catalog.products.other"])
        let rows = answer.rows.filter { $0.table == "entitlements" && $0.field == "entitled" }
        let texts = rows.map { row in
            row.subject.map { if case .string(let text) = $0.value { text } else { "" } }.joined(separator: " ")
                + " \(row.before.serialized()) \(row.after.serialized()) \(row.rule)"
        }
        #expect(
            texts == [
                "alice premium false true catalog.products.pro.entitlements",
                "alice pro true false catalog.products.pro.entitlements",
                "bob extra false true catalog.products.other",
            ])
        let eligible = answer.rows.filter {
            $0.table == "offers" && $0.subject.contains(.init("productId", .string("other")))
        }
        #expect(!eligible.isEmpty && eligible.allSatisfy { $0.rule == "catalog.products.other" })
        let gained = answer.summary.first { $0.table == "entitlements" && $0.rule == "catalog.products.other" }
        #expect(gained?.gained == 1 && gained?.lost == 0)

        // The old catalogue by hand, and back.
        query.oldCatalog = query.newCatalog
        query.newCatalog = try catalog(Self.text)
        let back = try shop.reader.difference(query).rows.filter { $0.field == "entitled" }
        #expect(back.count == 3)
        // Applied, the new catalogue is the old one.
        query.oldCatalog = nil
        #expect(try shop.reader.difference(query).changes.isEmpty)
    }

    @Test func `lists the eligibility that follows from a rule of access`() async throws {
        let shop = try TestLedger()
        var purchase = Purchase("1")
        purchase.group = "g"
        try await shop.post(purchase, customerId: "alice")
        // Ten minutes after the end, the renewal is overdue.
        let t = TestLedger.now.advanced(byMilliseconds: Instant.millisecondsPerDay + 600_000)
        var rules = Rules()
        rules.access.renewalLeewayMinutes = 5
        let rows = try shop.reader.difference(DifferenceQuery(AsOfQuery(asOf: t), newRules: rules)).rows
        let offers = rows.filter { $0.table == "offers" }
        #expect(offers.map(\.field) == ["eligible", "reason"])
        #expect(offers.first?.before == .bool(false) && offers.first?.after == .null)
        // Earlier purchases of the account may be missing.
        #expect(offers.last?.before == .string("subscribed") && offers.last?.after == .string("historyIncomplete"))
        #expect(rows.contains { $0.table == "access" && $0.field == "entitled" && $0.after == .bool(false) })
    }

    @Test func `lists the owners that another rule of claims moves`() async throws {
        let shop = try TestLedger()
        try await shop.apply(Self.text)
        try await shop.post(Purchase("1"), customerId: "alice")
        try await shop.post(Purchase("2"), customerId: "carol")
        _ = try? await shop.post(Purchase("1", copy: 2), customerId: "bob")
        var rules = Rules()
        rules.customers.claimConflict = .share
        let answer = try shop.reader.difference(DifferenceQuery(AsOfQuery(asOf: TestLedger.now), newRules: rules))
        let owners = answer.rows.filter { $0.table == "owners" }
        var question = AsOfQuery(asOf: TestLedger.now)
        question.rules = rules
        let expected = try shop.reader.customer("bob", question).entitlements
        #expect(answer.rows.filter { $0.table == "entitlements" && $0.field == "entitled" }.count == expected.count)
        #expect(owners.allSatisfy { $0.rule == "customers.claimConflict" })
        #expect(owners.isEmpty == expected.isEmpty)
    }
}
