import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import DuePolls
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization
import Testing

@Suite struct `The poller` {
    private static let start = Instant(milliseconds: SampleArtifact.signedDate)
    private static let end = start.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
    private static let id = "2000000000000001"

    /// Apple as far as a poller asks it.
    private final class Apple: Sendable {
        private let answers = Mutex<[String: Result<String, ServerAPIFailure>]>([:])
        private let requests = Mutex<[String]>([])
        private let interruptions = Mutex<[@Sendable () async throws -> Void]>([])

        var asked: [String] { requests.withLock { $0 } }

        /// - Parameter prefix: of the path with its query. The longest counts.
        func answer(_ prefix: String, _ answer: Result<String, ServerAPIFailure>) {
            answers.withLock { $0[prefix] = answer }
        }

        /// Does something during the next call that has no interruption yet, before its answer.
        func interrupt(_ body: @escaping @Sendable () async throws -> Void) {
            interruptions.withLock { $0.append(body) }
        }

        func connection(_ ledger: FeedLedger, _ budget: SharedBudget = SharedBudget()) -> AppStoreConnection {
            let app = CallBudget.App(bundleId: SampleArtifact.bundleId, environment: .production)
            return AppStoreConnection(app, within: budget, clock: ledger.ledger.configuration.clock) {
                request, _ in
                self.requests.withLock { $0.append(request.target) }
                try await self.interruptions.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
                let answer = self.answers.withLock { answers in
                    answers.filter { request.target.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value
                }
                let unknown = #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#
                let text = try answer?.get() ?? unknown
                return try ServerAPIReply.read(
                    Array(text.utf8), status: text.contains("errorCode") ? 404 : 200, of: request)
            }
        }
    }

    private static func transaction(
        _ number: Int64, from start: Instant, signed: Instant, id: String = id, account: String? = nil
    ) -> SignedJWS {
        var changes: SampleArtifact.Changes = [
            "transactionId": .string(number == 1 ? id : "\(id)\(number)"), "originalTransactionId": .string(id),
            "purchaseDate": .integer(start.milliseconds),
            "expiresDate": .integer(start.milliseconds + 30 * Instant.millisecondsPerDay),
            "transactionReason": .string(number == 1 ? "PURCHASE" : "RENEWAL"),
            "signedDate": .integer(signed.milliseconds), "environment": .string("Production"),
        ]
        if let account { changes["appTransactionId"] = .string(account) }
        return SampleArtifact.transaction(changes)
    }

    private static func renewalInfo(end: Instant, signed: Instant, autoRenewStatus: Int64 = 1) -> SignedJWS {
        SampleArtifact.renewalInfo([
            "renewalDate": .integer(end.milliseconds), "signedDate": .integer(signed.milliseconds),
            "autoRenewStatus": .integer(autoRenewStatus), "environment": .string("Production"),
        ])
    }

    private static func statuses(_ status: Int64, _ transaction: SignedJWS, _ renewalInfo: SignedJWS) -> String {
        """
        {"environment":"Production","bundleId":"\(SampleArtifact.bundleId)","data":[{"lastTransactions":[{\
        "originalTransactionId":"\(id)","status":\(status),"signedTransactionInfo":"\(transaction.text)",\
        "signedRenewalInfo":"\(renewalInfo.text)"}]}]}
        """
    }

    private static func ledger() async throws -> FeedLedger {
        let ledger = try FeedLedger(at: start)
        try await ledger.append(transaction(1, from: start, signed: start).compact)
        ledger.clock.now = end.advanced(byMilliseconds: -hour)
        try await ledger.append(
            renewalInfo(end: end, signed: end.advanced(byMilliseconds: -3_600_000)).compact)
        return ledger
    }

    private static func poller(_ ledger: FeedLedger, _ apple: Apple) throws -> Poller {
        try Poller(
            ledger.ledger, [apple.connection(ledger)], PollStore(writing: ledger.folder), policy: PollPolicy())
    }

    private static func expiresAt(_ ledger: FeedLedger) throws -> Instant? {
        try ledger.ledger.reader.state(
            of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: ledger.clock.now)
        )?.subscriptions.first?.expiresAt
    }

    private static let target = "/inApps/v1/subscriptions/\(id)"
    private static let minute = Instant.millisecondsPerMinute
    private static let hour = Instant.millisecondsPerHour

    @Test func `learns of a renewal without a notification`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        ledger.clock.now = Self.end.advanced(byMilliseconds: -Self.minute)
        #expect(try await poller.round() == Poller.Counts())
        ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        let now = ledger.clock.now
        let next = Self.end.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        apple.answer(
            Self.target,
            .success(
                Self.statuses(
                    1, Self.transaction(2, from: Self.end, signed: now), Self.renewalInfo(end: next, signed: now))))
        let counts = try await poller.round()
        #expect(counts.polled == 1 && counts.changed == 1)
        #expect(apple.asked == [Self.target])
        #expect(try Self.expiresAt(ledger) == next)
        #expect(try await poller.round() == Poller.Counts())
        ledger.clock.now = next.advanced(byMilliseconds: -Self.hour)
        #expect(try await poller.round().polled == 1)
    }

    @Test func `asks again later what was not answered, also after a restart`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        apple.answer(Self.target, .failure(.unavailable(found: "status 500")))
        let due = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        for (minutes, polled) in [(0, 1), (1, 0), (40, 0), (80, 1), (90, 0), (420, 1), (430, 0)] as [(Int64, Int)] {
            ledger.clock.now = due.advanced(byMilliseconds: minutes * Self.minute)
            let counts = try await Self.poller(ledger, apple).round()
            #expect(counts.polled == polled && counts.failed == polled, "\(minutes) min")
            try ledger.reopen()
        }
    }

    @Test func `asks for the transactions between two that are known, page by page`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        let third = Self.end.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        let last = third.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        ledger.clock.now = third.advanced(byMilliseconds: Self.hour)
        let now = ledger.clock.now
        apple.answer(
            Self.target,
            .success(
                Self.statuses(
                    1, Self.transaction(3, from: third, signed: now), Self.renewalInfo(end: last, signed: now))))
        let page = """
            {"revision":"7","hasMore":false,"bundleId":"\(SampleArtifact.bundleId)","environment":"Production",\
            "signedTransactions":["\(Self.transaction(2, from: Self.end, signed: now).text)"]}
            """
        apple.answer("/inApps/v2/history/", .success(page))
        _ = try await poller.round()
        _ = try await poller.round()
        #expect(apple.asked == [Self.target, "/inApps/v2/history/\(Self.id)?sort=ASCENDING"])
        #expect(try await poller.round() == Poller.Counts())
    }

    /// A ledger that lacks the second of three transactions, whose last period has ended.
    private static func ledgerWithGap() async throws -> FeedLedger {
        let ledger = try FeedLedger(at: start)
        let third = end.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        ledger.clock.now = third.advanced(byMilliseconds: hour)
        try await ledger.append([
            transaction(1, from: start, signed: start).compact, transaction(3, from: third, signed: third).compact,
        ])
        ledger.clock.now = third.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay + hour)
        return ledger
    }

    private static func page(_ revision: String, hasMore: Bool, _ transactions: SignedJWS...) -> String {
        let signed = transactions.map { "\"\($0.text)\"" }.joined(separator: ",")
        return """
            {"revision":"\(revision)","hasMore":\(hasMore),"bundleId":"\(SampleArtifact.bundleId)",\
            "environment":"Production","signedTransactions":[\(signed)]}
            """
    }

    private static let history = "/inApps/v2/history/\(id)?sort=ASCENDING"

    @Test func `asks for the status although a page of the history was answered just before`() async throws {
        let (ledger, apple) = (try await Self.ledgerWithGap(), Apple())
        let poller = try Self.poller(ledger, apple)
        apple.answer(
            Self.history,
            .success(Self.page("7", hasMore: false, Self.transaction(2, from: Self.end, signed: Self.end))))
        for _ in 0..<2 { _ = try await poller.round() }
        #expect(apple.asked == [Self.history, Self.target])
    }

    @Test(arguments: [4_040_004, 4_040_010] as [Int64])
    func `continues the history at its revision after another error`(_ code: Int64) async throws {
        let (ledger, apple) = (try await Self.ledgerWithGap(), Apple())
        let poller = try Self.poller(ledger, apple)
        let next = Self.history + "&revision=7"
        apple.answer(Self.history, .success(Self.page("7", hasMore: true)))
        apple.answer(next, .success(#"{"errorCode":\#(code),"errorMessage":"An error."}"#))
        for _ in 0..<4 { _ = try await poller.round() }
        ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 25 * Self.hour)
        for _ in 0..<2 { _ = try await poller.round() }
        #expect(apple.asked.filter { $0.hasPrefix(Self.history) } == [Self.history, next, next])
    }

    @Test func `takes an error that a repetition may cure for no answer`() async throws {
        let (ledger, apple) = (try FeedLedger(at: Self.start), Apple())
        try await ledger.append(Self.transaction(1, from: Self.start, signed: Self.start).compact)
        let poller = try Self.poller(ledger, apple)
        apple.answer(Self.target, .success(#"{"errorCode":4040004,"errorMessage":"Try again."}"#))
        for (minutes, polled) in [(61, 1), (70, 0), (122, 1)] as [(Int64, Int)] {
            ledger.clock.now = Self.start.advanced(byMilliseconds: minutes * Self.minute)
            let counts = try await poller.round()
            #expect(counts.polled == polled && counts.failed == polled, "\(minutes) min")
        }
    }

    @Test func `keeps the question when recording its answer fails`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        apple.interrupt { throw StorageError(.busy, "the write queue is full") }
        await #expect(throws: StorageError.self) { _ = try await poller.round() }
        #expect(try await poller.round().polled == 1)
    }

    @Test func `asks about an account once when rounds overlap`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        let now = ledger.clock.now
        apple.interrupt { [writer = ledger.ledger] in
            let news = Self.renewalInfo(end: Self.end, signed: now)
            _ = try await writer.append([await writer.check(news.compact, source: .file)], source: .file)
            #expect(try await poller.round().polled == 0)
        }
        #expect(try await poller.round().polled == 1)
        #expect(apple.asked == [Self.target])
    }

    @Test func `keeps its place in the history when its account is joined with one that was asked about later`()
        async throws
    {
        let (ledger, apple) = (try await Self.ledgerWithGap(), Apple())
        let other = "1000000000000001"
        try await ledger.append(Self.transaction(1, from: Self.start, signed: Self.start, id: other).compact)
        let poller = try Self.poller(ledger, apple)
        let next = Self.history + "&revision=7"
        apple.answer(Self.history, .success(Self.page("7", hasMore: true)))
        apple.answer(next, .success(Self.page("8", hasMore: false)))
        _ = try await poller.round()
        ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 1_000)
        _ = try await poller.ask(about: SubscriptionSelector(originalTransactionId: other))
        let linked = [Self.id, other].map { id in
            Self.transaction(1, from: Self.start, signed: Self.end, id: id, account: "700").compact
        }
        try await ledger.append(linked)
        _ = try await poller.round()
        #expect(apple.asked.filter { $0.hasPrefix(Self.history) } == [Self.history, next])
    }

    @Test func `stops for an app whose key Apple refuses`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        apple.answer(Self.target, .failure(.unauthorized))
        let poller = try Self.poller(ledger, apple)
        ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        let first = try await poller.round()
        #expect(first.failed == 1 && first.stoppedCalls.map(\.code) == ["api_unauthorized"])
        ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Self.hour)
        let again = try await poller.round()
        #expect(again.polled == 0 && again.rateLimited == 0 && again.stoppedCalls == first.stoppedCalls)
        #expect(apple.asked.count == 1)
    }

    @Test func `waits as long as Apple asks`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let due = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        apple.answer(Self.target, .failure(.rateLimited(until: due.advanced(byMilliseconds: 90 * Self.minute))))
        let poller = try Self.poller(ledger, apple)
        ledger.clock.now = due
        #expect(try await poller.round().failed == 1)
        ledger.clock.now = due.advanced(byMilliseconds: 80 * Self.minute)
        #expect(try await poller.round().polled == 0)
        ledger.clock.now = due.advanced(byMilliseconds: 91 * Self.minute)
        #expect(try await poller.round().polled == 1)
    }

    @Test func `asks again after an hour of failures, with few calls`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        apple.answer(Self.target, .failure(.unavailable(found: "status 503")))
        let poller = try Self.poller(ledger, apple)
        let due = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        for minute in Int64(0)..<60 {
            ledger.clock.now = due.advanced(byMilliseconds: minute * Self.minute)
            _ = try await poller.round()
        }
        #expect(apple.asked.count == 2, "at once, and an hour after the first question was due")
        let next = Self.end.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        let now = due.advanced(byMilliseconds: 8 * Self.hour)
        ledger.clock.now = now
        apple.answer(
            Self.target,
            .success(
                Self.statuses(
                    1, Self.transaction(2, from: Self.end, signed: now), Self.renewalInfo(end: next, signed: now))))
        #expect(try await poller.round().changed == 1)
    }

    @Test func `refuses an answer about another app, and asks again`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        let due = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        ledger.clock.now = due
        let own = Self.statuses(
            1, Self.transaction(2, from: Self.end, signed: due), Self.renewalInfo(end: due, signed: due))
        apple.answer(
            Self.target,
            .success(
                own.replacing(#""bundleId":"\#(SampleArtifact.bundleId)""#, with: #""bundleId":"com.example.other""#))
        )
        let before = try Self.expiresAt(ledger)
        #expect(try await poller.round().failed == 1)
        #expect(try Self.expiresAt(ledger) == before)
        #expect(try ledger.ledger.quarantine.size().items == 2, "both signed parts are kept")
        apple.answer(Self.target, .success(own))
        ledger.clock.now = due.advanced(byMilliseconds: 2 * Self.hour)
        #expect(try await poller.round().changed == 1)
    }

    @Test func `takes what an answer says about other subscriptions for those`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        let due = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        ledger.clock.now = due
        let other = Self.transaction(1, from: Self.end, signed: due, id: "2000000000000777")
        apple.answer(Self.target, .success(Self.statuses(1, other, Self.renewalInfo(end: Self.end, signed: due))))
        _ = try await poller.round()
        #expect(try Self.expiresAt(ledger) == Self.end, "the asked subscription has no new period")
        let found = try ledger.ledger.reader.state(
            of: SubscriptionSelector(originalTransactionId: "2000000000000777"), AsOfQuery(asOf: due))
        #expect(found?.subscriptions.first?.entitled == true)
    }

    @Test func `begins the history again when its revision no longer exists`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        let third = Self.end.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        let last = third.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        ledger.clock.now = third.advanced(byMilliseconds: Self.hour)
        let now = ledger.clock.now
        apple.answer(
            Self.target,
            .success(
                Self.statuses(
                    1, Self.transaction(3, from: third, signed: now), Self.renewalInfo(end: last, signed: now))))
        let first =
            #"{"revision":"7","hasMore":true,"bundleId":"\#(SampleArtifact.bundleId)","#
            + #""environment":"Production","signedTransactions":["\#(Self.transaction(1, from: Self.start, signed: now).text)"]}"#
        let start = "/inApps/v2/history/\(Self.id)?sort=ASCENDING"
        apple.answer(start, .success(first))
        apple.answer(
            start + "&revision=7", .success(#"{"errorCode":4000005,"errorMessage":"Invalid request revision."}"#))
        for _ in 0..<3 { _ = try await poller.round() }
        #expect(apple.asked.last == start + "&revision=7", "\(apple.asked)")
        let count = apple.asked.count
        ledger.clock.now = now.advanced(byMilliseconds: 30 * Self.minute)
        _ = try await poller.round()
        #expect(apple.asked.count == count)
        ledger.clock.now = now.advanced(byMilliseconds: 2 * Self.hour)
        _ = try await poller.round()
        #expect(apple.asked.contains { $0 == start } && apple.asked[count] == start)
    }

    @Test func `gives up on a history that does not advance`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        let third = Self.end.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
        ledger.clock.now = third.advanced(byMilliseconds: Self.hour)
        let now = ledger.clock.now
        apple.answer(
            Self.target,
            .success(
                Self.statuses(
                    1, Self.transaction(3, from: third, signed: now), Self.renewalInfo(end: third, signed: now))))
        let page =
            #"{"revision":"7","hasMore":true,"bundleId":"\#(SampleArtifact.bundleId)","#
            + #""environment":"Production","signedTransactions":[]}"#
        apple.answer("/inApps/v2/history/", .success(page))
        for _ in 0..<5 { _ = try await poller.round() }
        #expect(apple.asked.count == 3, "the status, and two pages with the same revision")
    }

    private static let ids = (0..<20).map { "20000000000001\(10 + $0)" }

    /// A ledger with 20 accounts that are due.
    private static func ledgerOfMany() async throws -> FeedLedger {
        let ledger = try FeedLedger(at: start)
        for id in ids {
            try await ledger.append(
                SampleArtifact.transaction([
                    "transactionId": .string(id), "originalTransactionId": .string(id),
                    "appTransactionId": .string("7\(id)"), "purchaseDate": .integer(start.milliseconds),
                    "expiresDate": .integer(end.milliseconds), "environment": .string("Production"),
                ]).compact)
        }
        ledger.clock.now = end.advanced(byMilliseconds: hour)
        return ledger
    }

    @Test func `pauses shortly after calls that failed together`() async throws {
        let (ledger, apple) = (try await Self.ledgerOfMany(), Apple())
        let poller = try Self.poller(ledger, apple)
        apple.answer("/inApps/v1/subscriptions/", .failure(.unavailable(found: "status 503")))
        #expect(try await poller.round().failed == 8)
        ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 3_000)
        #expect(try await poller.round().failed == 8)
    }

    @Test func `waits as long as Apple asks, although another call fails after that`() async throws {
        let (ledger, apple) = (try await Self.ledgerOfMany(), Apple())
        let poller = try Self.poller(ledger, apple)
        let until = ledger.clock.now.advanced(byMilliseconds: Self.hour)
        apple.answer("/inApps/v1/subscriptions/", .failure(.unavailable(found: "a cut body")))
        apple.interrupt { throw ServerAPIFailure.rateLimited(until: until) }
        for _ in 0..<7 { apple.interrupt { try await Task.sleep(for: .milliseconds(50)) } }
        #expect(try await poller.round().failed == 8)
        ledger.clock.now = until.advanced(byMilliseconds: -Self.minute)
        #expect(try await poller.round().polled == 0)
        ledger.clock.now = until
        #expect(try await poller.round().polled > 0)
    }

    @Test func `uses no more memory for an account that is visited often`() async throws {
        let (ledger, apple) = (try await Self.ledgerOfMany(), Apple())
        let poller = try Self.poller(ledger, apple)
        apple.answer("/inApps/v1/subscriptions/", .failure(.unauthorized))
        _ = try await poller.round()
        let rows = await poller.queuedRows
        let visited = Set(
            Self.ids.map { id in
                SubscriptionID(environment: "Production", bundleId: SampleArtifact.bundleId, originalTransactionId: id)
            })
        for _ in 0..<10 { _ = try await poller.round(visited: visited) }
        #expect(await poller.queuedRows <= rows + Self.ids.count)
    }

    @Test func `asks first about what a caller asks the ledger`() async throws {
        let (ledger, apple, ids) = (try await Self.ledgerOfMany(), Apple(), Self.ids)
        // One call at once, then one every two minutes.
        let poller = Poller(
            ledger.ledger, [apple.connection(ledger, SharedBudget(callsPerHour: 30, headroom: 1))],
            try PollStore(writing: ledger.folder), policy: PollPolicy())
        #expect(try await poller.round().polled == 1)
        let visited = try #require(ids.last { id in !apple.asked.contains { $0.hasSuffix(id) } })
        ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 3 * Self.minute)
        let id = SubscriptionID(
            environment: "Production", bundleId: SampleArtifact.bundleId, originalTransactionId: visited)
        #expect(try await poller.round(visited: [id]).polled == 1)
        #expect(apple.asked.last?.hasSuffix(visited) == true)
    }

    @Test func `asks about a subscription that is not due, for an operator`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let poller = try Self.poller(ledger, apple)
        let selector = SubscriptionSelector(originalTransactionId: Self.id)
        #expect(try await poller.ask(about: selector).polled == 1)
        await #expect(throws: CustomerError.self) {
            try await poller.ask(about: SubscriptionSelector(originalTransactionId: "1"))
        }
    }
}
