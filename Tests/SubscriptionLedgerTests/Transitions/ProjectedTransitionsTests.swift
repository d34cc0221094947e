import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import ProjectionRuntime
import SubscriptionLedger
import Synchronization
import Testing

@Suite struct `The projection of transitions` {
    private static let subscriptions = 64

    /// A ledger of purchases that customers claim, some of them with tokens.
    private static func ledger() async throws -> TestLedger {
        let test = try TestLedger()
        for id in 1...subscriptions {
            let purchase = Purchase("\(id)", token: id % 4 == 0 ? token(["a", "b", "e", "f"][id / 4 % 4]) : nil)
            try await test.post(purchase, customerId: id % 3 == 0 ? nil : "customer-\(id % 40)")
        }
        return test
    }

    @Test func `an update after any event gives the bytes of a rebuild`() async throws {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        let test = try await Self.ledger()
        let comment = Comment(rawValue: "SUBLEDGER_SEED=\(TestEnvironment.seed)")
        var updates = 0
        _ = try test.reader.rebuildProjection("transitions")
        for _ in 0..<40 {
            let step = try await Self.change(test, &random)
            let phases = Mutex<Set<RebuildProgress.Phase>>([])
            var options = RebuildOptions()
            options.report = { progress in phases.withLock { _ = $0.insert(progress.phase) } }
            let updated = try test.reader.rebuildProjection("transitions", isIncremental: true, options)
            // A rebuild reads all facts first.
            if !phases.withLock({ $0.contains(.reading) }) { updates += 1 }
            let rebuilt = try test.reader.rebuildProjection("transitions")
            #expect(updated == rebuilt, "\(step), \(comment)")
        }
        #expect(updates > 20, comment)
    }

    /// Adds an event about a subscription, a claim, a token or the customers.
    private static func change(_ test: TestLedger, _ random: inout SeededGenerator) async throws -> String {
        let id = Int.random(in: 1...subscriptions, using: &random)
        let name = "customer-\(Int.random(in: 0..<40, using: &random))"
        let other = "customer-\(Int.random(in: 0..<40, using: &random))"
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            try await test.ingest(Purchase("\(id)", number: 2))
            return "renewal of \(id)"
        case 1:
            try await test.post(Purchase("\(id)", copy: 2), customerId: name)
            return "claim of \(name) to \(id)"
        case 2:
            let token = token(["a", "b", "e", "f"].randomElement(using: &random) ?? "a")
            try await test.post(Purchase("\(id)", number: 3, token: token), customerId: name)
            return "token of \(name) in \(id)"
        case 3:
            _ = try? await test.ledger.merge(
                .id(other), into: name, by: .admin, scope: CustomerScope(), source: .operator)
            return "merge of \(other) into \(name)"
        default:
            _ = try await test.ledger.transfer(
                SubscriptionSelector(originalTransactionId: "\(id)"), to: name, by: .admin, scope: CustomerScope(),
                source: .operator)
            return "transfer of \(id) to \(name)"
        }
    }

    @Test func `has the rows of the feed by subscription`() async throws {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        let test = try await Self.ledger()
        for _ in 0..<20 { _ = try await Self.change(test, &random) }
        _ = try test.reader.rebuildProjection("transitions")
        let projected = try test.reader.projectedRows(of: "transitions")
        var found: [String: [String]] = [:]
        while let rows = try projected.next() {
            for row in try rows.map({ try $0.view }) { try Self.add(row, to: &found) }
        }
        var expected: [String: [String]] = [:]
        let feed = try test.ledger.transitions()
        try feed.advance()
        for stored in try feed.storedRows() { try Self.add(JSONDocument(parsing: stored).root, to: &expected) }
        #expect(found == expected)
        #expect(found.count == Self.subscriptions)
    }

    /// Adds the fields that both kinds of rows have.
    private static func add(_ row: JSONView, to rows: inout [String: [String]]) throws {
        let after = try #require(row["after"])
        let id = try #require(after["originalTransactionId"]?.string)
        let lists = [row["change"], row["owners"]].map { $0?.elements?.compactMap(\.string) ?? [] }
        let members = [after["reason"], after["productId"], after["transactionId"], row["cause"]].map { $0?.string }
        rows[id, default: []].append("\(lists) \(members)")
    }
}
