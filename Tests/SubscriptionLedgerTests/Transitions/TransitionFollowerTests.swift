import AppStoreModel
import AppStoreSimulation
import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

/// A client that uses only the rows it has received.
private struct Follower {
    private(set) var states: [String: JSONView] = [:]
    private(set) var next: UInt64 = 0

    /// - Returns: the originalTransactionIds of the rows.
    mutating func apply(_ rows: [TransitionRow]) throws -> Set<String> {
        var changed: Set<String> = []
        for row in rows {
            #expect(row.sequence == next)
            next += 1
            #expect(!row.change.isEmpty)
            #expect(row.effectiveAt <= row.recordedAt)
            let (before, after) = (try row.before.view, try row.after.view)
            let id = try #require((after.isNull ? before : after)["originalTransactionId"]?.string)
            states[id] = after.isNull ? nil : after
            changed.insert(id)
        }
        return changed
    }

    /// The fields that must agree with the ledger.
    static let fields: [StaticString] = [
        "access", "entitled", "status", "productId", "transactionId", "expiresAt", "willRenew", "pendingProductId",
        "reason", "gracePeriodExpiresAt", "priceIncrease",
    ]

    static func text(_ state: JSONView?) -> String {
        guard let state else { return "nothing" }
        return fields.map { field in
            let value = state[field]
            return value?.string ?? value?.bool.map { "\($0)" } ?? "-"
        }.joined(separator: " ")
    }
}

@Suite struct `A follower of the transitions` {
    private struct Delivery {
        let at: Instant
        let jws: [UInt8]
    }

    /// The deliveries of a year: some late, some missing, some repeated.
    private static func deliveries(
        of simulated: SimulatedHistory, _ generator: inout SeededRandom
    ) -> [Delivery] {
        var deliveries: [(Delivery, Int)] = []
        for artifact in simulated.artifacts where !generator.chance(5) {
            let delay = generator.chance(15) ? Int64.random(in: 1_000...1_728_000_000, using: &generator) : 50
            let first = artifact.deliveredDate.advanced(byMilliseconds: delay)
            deliveries.append((Delivery(at: first, jws: artifact.jws), deliveries.count))
            if generator.chance(10) {
                let again = first.advanced(byMilliseconds: .random(in: 1...864_000_000, using: &generator))
                deliveries.append((Delivery(at: again, jws: artifact.jws), deliveries.count))
            }
        }
        return deliveries.sorted { ($0.0.at, $0.1) < ($1.0.at, $1.1) }.map(\.0)
    }

    private static func rules(_ generator: inout SeededRandom) -> Rules {
        var rules = Rules()
        rules.access.ownGraceDays = generator.pick([0, 3, 16])
        rules.access.limitedAccessDays = generator.pick([0, 5])
        rules.access.renewalLeewayMinutes = generator.pick([0, 60, 1_440])
        rules.access.proratedRefund = generator.pick([.revoke, .keepToExpiry])
        rules.customers.claimConflict = generator.pick([.keepFirst, .move, .share])
        return rules
    }

    @Test(arguments: TestEnvironment.isLong ? (0..<10).map { TestEnvironment.seed &+ $0 } : [TestEnvironment.seed])
    func `holds what the ledger answers at any instant of a year, and a rebuilt feed has the same bytes`(
        seed: UInt64
    ) async throws {
        var generator = SeededRandom(seed: seed)
        let simulated = SimulatedHistory(seed: seed, customers: 30)
        let deliveries = Self.deliveries(of: simulated, &generator)
        let (start, end) = (try #require(deliveries.first).at, try #require(deliveries.last).at)
        let test = try FeedLedger(at: start)
        let instants = (0..<1_000).map { _ in
            Instant(milliseconds: .random(in: start.milliseconds...end.milliseconds + 5_000_000_000, using: &generator))
        }.sorted()
        let comment: Comment = "seed \(seed)"
        var follower = Follower()
        var cursor: TransitionCursor?
        var pending = deliveries[...]
        var copy: DataCopy?
        var compared = 0
        let ids = simulated.originalTransactionIds
        for (index, instant) in instants.enumerated() {
            while let delivery = pending.first, delivery.at <= instant {
                test.clock.now = delivery.at
                try await test.append(delivery.jws)
                pending.removeFirst()
            }
            test.clock.now = instant
            if index % 200 == 50 {
                try await test.activate { $0 = Self.rules(&generator) }
                _ = try follower.apply(try test.rows(after: &cursor))
                for id in ids { try Self.expectAgreement(follower, id, at: instant, test, comment) }
            }
            if index % 250 == 100 {
                test.close()
                if copy == nil { copy = try DataCopy(of: test.folder.transitions) }
                try test.open()
            }
            let changed = try follower.apply(try test.rows(after: &cursor))
            for id in changed.union((0..<8).map { _ in generator.pick(ids) }) {
                compared += 1
                try Self.expectAgreement(follower, id, at: instant, test, comment)
            }
        }
        for id in ids { try Self.expectAgreement(follower, id, at: test.clock.now, test, comment) }
        let rows = try test.storedRows()
        print("seed \(seed): \(deliveries.count) deliveries, \(rows.count) rows, \(compared) states compared")
        #expect(rows.count == Int(follower.next), comment)
        try test.rebuild()
        let isRebuiltSame = try test.storedRows() == rows
        #expect(isRebuiltSame, comment)
        // The result of a power loss: an older state of the feed beside the complete log.
        test.close()
        try #require(copy).restore()
        try test.open()
        let isContinuedSame = try test.storedRows() == rows
        #expect(isContinuedSame, comment)
    }

    private static func expectAgreement(
        _ follower: Follower, _ id: String, at instant: Instant, _ test: FeedLedger, _ comment: Comment
    ) throws {
        let answer = try test.ledger.reader.state(
            of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: instant))
        let expected = try answer?.subscriptions.first.map { try $0.json.view }
        let (held, answered) = (Follower.text(follower.states[id]), Follower.text(expected))
        #expect(held == answered, "\(comment), \(id) at \(instant.iso8601)")
    }
}

/// A saved copy of a folder.
private struct DataCopy {
    private let path: String
    private let copy: String

    init(of path: String) throws {
        self.path = path
        copy = path + ".copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    }

    func restore() throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: copy, toPath: path)
    }
}
