import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FoundationEssentials
import Ingestion
import LMDB
import LedgerAPI
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

/// Two real sandbox sessions on one original transaction, as sent by the App Store.
@Suite struct `Real sandbox notifications in a ledger` {
    private static let originalTransactionId = SessionConformance.originalTransactionId

    /// The JWS of the notifications in the order of their file names; nil if the folder is absent.
    private static let notifications: [[UInt8]]? = {
        guard let fixtures = TestEnvironment.fixtures,
            let names = try? FileManager.default.contentsOfDirectory(atPath: fixtures + "/notifications-v2")
        else {
            print("fixtures: absent")
            return nil
        }
        let bodies = names.filter { $0.hasPrefix("session-") }.sorted().compactMap { name -> [UInt8]? in
            let path = fixtures + "/notifications-v2/" + name
            guard let bytes = try? InputFile.bytes(of: path, limit: ArtifactFile.byteLimit) else { return nil }
            return try? ArtifactFile.artifacts(in: bytes, file: path)[0].content.get().artifact
        }
        print("fixtures: \(bodies.count) checked")
        return bodies
    }()

    private static let trust = TrustPolicy(
        apps: [TrustPolicy.App(bundleId: "com.loki-project.loki-messenger")], environments: [.sandbox])

    /// The instants of the table, some just before and after them, and the earliest and latest instants.
    private static let instants: [Instant] = {
        let around = SessionConformance.table.flatMap { row in
            [-1, 0, 1, 60_000].map { Instant(milliseconds: row.t + $0) }
        }
        return [.earliest] + around + [Instant(milliseconds: 1_760_700_000_000), .latest]
    }()

    private func answers(_ ledger: LedgerWriter, knownAt: AsOfQuery.KnownAt? = nil) throws -> [JSONValue?] {
        let selector = SubscriptionSelector(originalTransactionId: Self.originalTransactionId)
        return try Self.instants.flatMap { instant in
            let question = AsOfQuery(asOf: instant, knownAt: knownAt)
            return [
                try ledger.reader.state(of: selector, question)?.json,
                try ledger.reader.history(of: selector, question)?.json,
                try ledger.reader.history(of: selector, question, explained: true)?.json,
            ]
        }
    }

    private func apartFromPositions(_ answers: [JSONValue?]) -> [String] {
        answers.map { $0?.apartFromPositions ?? "subscription_unknown" }
    }

    @Test(arguments: SessionConformance.table)
    func `are in the state of the conformance table`(row: SessionConformance) async throws {
        guard let notifications = Self.notifications else { return }
        let scratch = try await ScratchLedger(trust: Self.trust, ingesting: notifications)
        let selector = SubscriptionSelector(originalTransactionId: Self.originalTransactionId)
        let answer = try scratch.ledger.reader.state(of: selector, AsOfQuery(asOf: Instant(milliseconds: row.t)))?.json
        let text = try #require(answer).serialized()
        let root = try JSONDocument(parsing: Array(text.utf8)).root
        #expect(root["asOf"]?.string == Instant(milliseconds: row.t).iso8601)
        #expect(root["knownAt"]?.integer == Int64(notifications.count))
        let states = try #require(root["subscriptions"]?.elements)
        #expect(states.map { $0["status"]?.string } == [row.status].compactMap(\.self))
        guard let state = states.first else { return }
        #expect(state["originalTransactionId"]?.string == Self.originalTransactionId)
        #expect(state["bundleId"]?.string == "com.loki-project.loki-messenger")
        #expect(state["environment"]?.string == "Sandbox")
        #expect(state["entitled"]?.bool == (row.status == "active"))
        #expect(state["pendingProductId"]?.isNull == true)
        if let reason = row.reason { #expect(state["reason"]?.string == reason) }
        if let productId = row.productId { #expect(state["productId"]?.string == productId) }
        if let willRenew = row.willRenew { #expect(state["willRenew"]?.bool == willRenew) }
        if let end = row.expiresAt { #expect(state["expiresAt"]?.string == Instant(milliseconds: end).iso8601) }
    }

    @Test func `give the same answers in every order, and twice over append nothing`() async throws {
        guard let notifications = Self.notifications else { return }
        let first = try await ScratchLedger(trust: Self.trust, ingesting: notifications)
        let expected = apartFromPositions(try answers(first.ledger))
        #expect(!expected.contains("subscription_unknown"))
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        var orders = [Array(notifications.reversed())]
        for _ in 0..<(TestEnvironment.isLong ? 100 : 6) { orders.append(notifications.shuffled(using: &generator)) }
        for order in orders {
            let scratch = try ScratchLedger(trust: Self.trust)
            let appended = try await scratch.ingest(order)
            #expect(appended.map(\.position) == Array(0..<UInt64(order.count)))
            let again = try await scratch.ingest(order + notifications)
            #expect(again.allSatisfy { $0.isDuplicate && !$0.isAppended })
            #expect(try scratch.size == UInt64(order.count))
            let isSame = apartFromPositions(try answers(scratch.ledger)) == expected
            #expect(isSame, "seed \(TestEnvironment.seed)")
            try scratch.reopen()
            try await scratch.ingest(notifications)
            #expect(try scratch.size == UInt64(order.count))
            let isSameAfterOpening = apartFromPositions(try answers(scratch.ledger)) == expected
            #expect(isSameAfterOpening, "seed \(TestEnvironment.seed)")
        }
    }

    @Test func `known at a size, or at an instant, are a ledger that stopped there`() async throws {
        guard let notifications = Self.notifications else { return }
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        for order in [notifications, notifications.reversed(), notifications.shuffled(using: &generator)] {
            let whole = try await ScratchLedger(trust: Self.trust, ingesting: order)
            let growing = try ScratchLedger(trust: Self.trust)
            for size in 0...order.count {
                // Equal to the byte, including positions and recorded times.
                let stopped = try answers(growing.ledger)
                let known = try answers(whole.ledger, knownAt: .size(UInt64(size)))
                #expect(known == stopped, "seed \(TestEnvironment.seed), known at \(size)")
                #expect((stopped[0] == nil) == (size == 0))
                if size > 0 {
                    let recordedAt = try #require(try whole.ledger.reader.log.record(at: UInt64(size) - 1)).recordedAt
                    #expect(try answers(whole.ledger, knownAt: .instant(recordedAt)) == stopped)
                    let before = recordedAt.advanced(byMilliseconds: -1)
                    #expect(try whole.ledger.reader.knownSize(.instant(before)) == UInt64(size) - 1)
                }
                if size < order.count { try await growing.ingest([order[size]]) }
            }
            #expect(try answers(whole.ledger, knownAt: .size(UInt64(notifications.count))) == answers(whole.ledger))
        }
    }

    /// Posts every nested JWS by itself too, some before and some after the notification that carries it.
    @Test func `give the same answers when their parts are posted alone besides`() async throws {
        guard let notifications = Self.notifications else { return }
        let expected = apartFromPositions(
            try answers(try await ScratchLedger(trust: Self.trust, ingesting: notifications).ledger))
        var generator = SeededGenerator(seed: TestEnvironment.seed)
        let parts = try notifications.flatMap(Self.parts)
        #expect(parts.count == 2 * notifications.count)
        for _ in 0..<3 {
            let artifacts = (notifications + parts).shuffled(using: &generator)
            let scratch = try await ScratchLedger(trust: Self.trust, ingesting: artifacts)
            #expect(try scratch.size == UInt64(artifacts.count))
            let isSame = apartFromPositions(try answers(scratch.ledger)) == expected
            #expect(isSame, "seed \(TestEnvironment.seed)")
        }
    }

    private static func parts(of notification: [UInt8]) throws -> [[UInt8]] {
        let segments = notification.split(separator: UInt8(ascii: "."))
        let payload = try #require(Base64URL.decode(String(decoding: segments[1], as: UTF8.self)))
        let data = try #require(JSONDocument(parsing: payload).root["data"])
        return [data["signedTransactionInfo"], data["signedRenewalInfo"]].compactMap {
            $0?.string.map { Array($0.utf8) }
        }
    }

    @Test func `come back byte for byte, from less than 0.8 KB each`() async throws {
        guard let notifications = Self.notifications else { return }
        let scratch = try await ScratchLedger(trust: Self.trust, ingesting: notifications)
        #expect(try scratch.evidence() == notifications)
        scratch.close()
        let environment = try LMDB.Environment(directory: scratch.folder.log)
        let evidence = try environment.openDatabase("evidence", flags: .integerKey)
        let packed = try environment.read { transaction in
            try (0..<UInt64(notifications.count)).map { try transaction.get($0, in: evidence)?.byteCount ?? .max }
        }
        print("\(notifications.map(\.count)) bytes packed in \(packed)")
        #expect(packed.allSatisfy { $0 <= 800 })
    }
}
