import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import DuePolls
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Synchronization
import Testing

/// Many subscriptions whose periods end at the same time, on a virtual clock.
@Suite struct `Polls of many subscriptions` {
    /// The subscriptions and the calls of four hours, for which they are too many to be asked at once.
    private static let scale = TestEnvironment.isLong ? 1 : 50
    private static let count = 100_000 / scale
    private static let callsPerHour = 36_000 / scale
    /// Each takes two calls: one for its status, one for the transaction that the status does not contain.
    private static let urgentCount = 200 / scale

    private static let start = Instant(milliseconds: SampleArtifact.signedDate)
    private static let end = start.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
    /// Later than every jitter after the end.
    private static let due = end.advanced(byMilliseconds: 20 * Instant.millisecondsPerMinute)
    private static let hour = Instant.millisecondsPerHour

    private static func id(_ number: Int) -> String { String(2_000_000_000_000_000 + number) }

    private static func transaction(_ number: Int) -> SignedJWS {
        SampleArtifact.transaction([
            "transactionId": .string(id(number)), "originalTransactionId": .string(id(number)),
            "appTransactionId": .string("7\(number)"), "purchaseDate": .integer(start.milliseconds),
            "expiresDate": .integer(end.milliseconds), "environment": .string("Production"),
        ])
    }

    /// Says that auto-renew is off, so that the next period does not follow.
    private static func answer(_ number: Int, at now: Instant) -> String {
        let renewalInfo = SampleArtifact.renewalInfo([
            "originalTransactionId": .string(id(number)), "autoRenewStatus": .integer(0),
            "signedDate": .integer(now.milliseconds), "environment": .string("Production"),
        ])
        return """
            {"environment":"Production","bundleId":"\(SampleArtifact.bundleId)","data":[{"lastTransactions":[{\
            "originalTransactionId":"\(id(number))","status":2,"signedTransactionInfo":"\(transaction(number).text)",\
            "signedRenewalInfo":"\(renewalInfo.text)"}]}]}
            """
    }

    private static func history(_ number: Int) -> String {
        """
        {"revision":"1","hasMore":false,"bundleId":"\(SampleArtifact.bundleId)","environment":"Production",\
        "signedTransactions":["\(transaction(number).text)"]}
        """
    }

    /// A charged renewal that no transaction states.
    private static func impliedRenewal(_ number: Int, at now: Instant) -> SignedJWS {
        SampleArtifact.renewalInfo([
            "originalTransactionId": .string(id(number)),
            "renewalDate": .integer(end.milliseconds + 30 * Instant.millisecondsPerDay),
            "signedDate": .integer(now.milliseconds), "environment": .string("Production"),
        ])
    }

    @Test func `are made within four hours at 28,800 calls an hour, those due at once within a minute`() async throws {
        let ledger = try FeedLedger(at: Self.start)
        // The writer takes 8,192 events at once.
        for first in stride(from: 0, to: Self.count, by: 4_000) {
            try await ledger.append(
                (first..<min(first + 4_000, Self.count)).map { Self.transaction($0).compact })
        }
        let asked = Mutex<[String: [Instant]]>([:])
        let clock = ledger.clock
        let connection = AppStoreConnection(
            CallBudget.App(bundleId: SampleArtifact.bundleId, environment: .production),
            within: SharedBudget(callsPerHour: Self.callsPerHour), clock: { clock.now }
        ) { request, _ in
            let id = request.path.split(separator: "/").last.map(String.init) ?? ""
            asked.withLock { $0[id, default: []].append(clock.now) }
            let number = Int(id).map { $0 - 2_000_000_000_000_000 } ?? 0
            let answer =
                request.endpoint == .transactionHistory ? Self.history(number) : Self.answer(number, at: clock.now)
            return try ServerAPIReply.read(Array(answer.utf8), status: 200, of: request)
        }
        let poller = try Poller(ledger.ledger, [connection], PollStore(writing: ledger.folder), policy: PollPolicy())
        var urgent: Set<String> = []
        let urgentAt = Self.due.advanced(byMilliseconds: Self.hour + 7)
        clock.now = Self.due
        while clock.now < Self.due.advanced(byMilliseconds: 4 * Self.hour) {
            if urgent.isEmpty, clock.now >= urgentAt {
                let waiting = (0..<Self.count).filter { number in asked.withLock { $0[Self.id(number)] == nil } }
                let chosen = waiting.suffix(Self.urgentCount)
                try await ledger.append(chosen.map { Self.impliedRenewal($0, at: clock.now).compact })
                urgent = Set(chosen.map { Self.id($0) })
            }
            _ = try await poller.round()
            clock.now = clock.now.advanced(byMilliseconds: 1_000)
        }
        let answers = asked.withLock { $0 }
        #expect(answers.count == Self.count)
        #expect(urgent.count == Self.urgentCount)
        let urgentlyAsked = urgent.compactMap { id in answers[id]?.first { $0 >= urgentAt } }
        let latest = try #require(urgentlyAsked.max())
        #expect(urgentlyAsked.count == Self.urgentCount)
        #expect(latest.milliseconds - urgentAt.milliseconds <= Instant.millisecondsPerMinute)
        let calls = answers.values.flatMap(\.self).map { ($0.milliseconds - Self.due.milliseconds) / Self.hour }
        for hour in 0..<4 { #expect(calls.count { $0 == hour } <= Self.callsPerHour * 8 / 10) }
        let last = answers.values.compactMap(\.first).max() ?? .earliest
        print("asked about the last of \(Self.count) after \((last.milliseconds - Self.due.milliseconds) / 1_000) s")
    }
}
