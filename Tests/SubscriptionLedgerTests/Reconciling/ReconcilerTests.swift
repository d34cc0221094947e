import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerConfiguration
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization
import Testing

@Suite struct `Reconciling with Apple's notification history` {
    private static let start = Instant(milliseconds: SampleArtifact.signedDate)
    private static let minute = Instant.millisecondsPerMinute
    private static let day = Instant.millisecondsPerDay

    /// Apple's history of notifications.
    private final class Apple: Sendable {
        struct Item: Sendable {
            let signed: String
            let date: Instant
            var attempts: [(after: Int64, result: String)]

            var json: JSONValue {
                .object([
                    "signedPayload": .string(signed),
                    "sendAttempts": .array(
                        attempts.map {
                            .object([
                                "attemptDate": .integer(date.milliseconds + $0.after),
                                "sendAttemptResult": .string($0.result),
                            ])
                        }),
                ])
            }
        }

        struct Question: Equatable {
            let since: Instant
            let until: Instant
            let onlyFailures: Bool
            let token: String?
        }

        private struct State {
            var items: [Item] = []
            var questions: [Question] = []
            /// These come instead of the next answers.
            var failures: [Result<Int64, ServerAPIFailure>] = []
            var pageLength = 2
            /// The next pages without a token for the following one.
            var pagesWithoutToken = 0
            /// Whether every page has the same token.
            var repeatsToken = false
            /// Whether everything is delivered once the failures were asked for.
            var deliversAfterFailures = false
        }

        private let state = Mutex(State())

        var questions: [Question] { state.withLock { $0.questions } }

        func add(_ signed: SignedJWS, at date: Instant, _ attempts: [(after: Int64, result: String)]) {
            state.withLock { $0.items.append(Item(signed: signed.text, date: date, attempts: attempts)) }
        }

        func fail(_ failures: Result<Int64, ServerAPIFailure>...) { state.withLock { $0.failures = failures } }

        func repeatToken() { state.withLock { $0.repeatsToken = true } }

        func deliverAfterFailures() { state.withLock { $0.deliversAfterFailures = true } }

        func omitTokens(_ count: Int) { state.withLock { $0.pagesWithoutToken = count } }

        func answer(_ request: ServerAPIRequest) throws -> ServerAPIReply {
            let body = try JSONDocument(parsing: Array((request.body?.serialized() ?? "").utf8)).root
            let question = Question(
                since: Instant(milliseconds: body["startDate"]?.integer ?? 0),
                until: Instant(milliseconds: body["endDate"]?.integer ?? 0),
                onlyFailures: body["onlyFailures"]?.bool == true,
                token: request.query.first { $0.name == "paginationToken" }?.value)
            return try state.withLock { state in
                state.questions.append(question)
                if !state.failures.isEmpty {
                    let code = try state.failures.removeFirst().get()
                    let text = #"{"errorCode":\#(code),"errorMessage":"An error."}"#
                    return try ServerAPIReply.read(Array(text.utf8), status: 400, of: request)
                }
                let found = state.items.filter { item in
                    (question.since...question.until).contains(item.date)
                        && !(question.onlyFailures && item.attempts.contains { $0.result == "SUCCESS" })
                }
                let first = question.token.flatMap(Int.init) ?? 0
                let page = found.dropFirst(first).prefix(state.pageLength)
                let next = first + page.count
                var members: [JSONValue.Member] = [
                    .init("notificationHistory", .array(page.map(\.json))), .init("hasMore", .bool(next < found.count)),
                ]
                if state.pagesWithoutToken == 0 {
                    members.append(.init("paginationToken", .string(state.repeatsToken ? "2" : "\(next)")))
                } else {
                    state.pagesWithoutToken -= 1
                }
                if question.onlyFailures, state.deliversAfterFailures {
                    for index in state.items.indices { state.items[index].attempts.append((3_600_000, "SUCCESS")) }
                }
                let answer = JSONValue.object(members)
                return try ServerAPIReply.read(Array(answer.serialized().utf8), status: 200, of: request)
            }
        }
    }

    /// A ledger, Apple, and what compares them.
    private struct Fixture {
        let ledger: FeedLedger
        let apple = Apple()
        let reconciler: Reconciler

        /// - Parameter bundleIds: the apps; those before the last have no key that Apple accepts.
        init(_ bundleIds: [String] = [SampleArtifact.bundleId]) throws {
            let ledger = try FeedLedger(at: start)
            let apple = apple
            let clock = ledger.clock
            // Each look at the clock takes a moment, so that pauses end.
            let connections = bundleIds.map { bundleId in
                AppStoreConnection(
                    CallBudget.App(bundleId: bundleId, environment: .sandbox), within: SharedBudget(),
                    clock: {
                        clock.now = clock.now.advanced(byMilliseconds: 1_000)
                        return clock.now
                    }
                ) { request, _ in
                    guard bundleId == bundleIds.last else { throw ServerAPIFailure.unauthorized }
                    return try apple.answer(request)
                }
            }
            self.ledger = ledger
            reconciler = Reconciler(ledger.ledger, connections, try PollStore(writing: ledger.folder))
        }

        /// A notification that Apple signed a number of days after the start.
        func notification(_ number: Int, afterDays days: Int64 = 0) -> (signed: SignedJWS, date: Instant) {
            let date = start.advanced(byMilliseconds: days * day + Int64(number) * minute)
            let signed = SampleArtifact.notification([
                "notificationUUID": .string("15101c57-7b3d-49c2-8adf-\(100_000_000_000 + number)"),
                "signedDate": .integer(date.milliseconds),
            ])
            return (signed, date)
        }

        /// Records a notification as if Apple had delivered it.
        func deliver(_ notification: (signed: SignedJWS, date: Instant), after: Int64) async throws {
            ledger.clock.now = notification.date.advanced(byMilliseconds: after)
            try await ledger.append(notification.signed.compact)
        }

        var records: [Record] {
            get throws {
                let log = ledger.ledger.reader.log
                return try (0..<log.size()).compactMap { try log.record(at: $0) }
            }
        }
    }

    @Test func `refuses without an app with a key`() async throws {
        let test = try Fixture([])
        let error = await #expect(throws: ConfigurationError.self) {
            try await test.reconciler.reconcile(since: Self.start, until: .latest)
        }
        #expect(error?.diagnosis.code == "configuration_invalid" && error?.message.contains("no app has a key") == true)
        #expect(try await test.reconciler.reconcileSinceLast() == nil)
    }

    @Test func `counts a notification once that Apple lists on two days, since its first attempt came meanwhile`()
        async throws
    {
        let test = try Fixture()
        let (signed, date) = test.notification(1)
        test.apple.add(signed, at: date, [])
        test.apple.add(signed, at: date.advanced(byMilliseconds: Self.day), [(after: 0, result: "SUCCESS")])
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: 3 * Self.day)
        let answer = try await test.reconciler.reconcile(since: Self.start, until: test.ledger.clock.now)
        #expect(answer.missing == 1 && answer.ingested == 1 && answer.lost == 0 && answer.matched == 0)
    }

    @Test func `counts what was delivered, and ingests what was not`() async throws {
        let test = try Fixture()
        for number in 0..<3 {
            let notification = test.notification(number)
            let late = Int64(number) * 10_000
            try await test.deliver(notification, after: late + 2_000)
            test.apple.add(notification.signed, at: notification.date, [(2_000, "SUCCESS")])
        }
        let (lost, failed) = (test.notification(3), test.notification(4))
        test.apple.add(lost.signed, at: lost.date, [(0, "TIMED_OUT"), (3_600_000, "SUCCESS")])
        test.apple.add(failed.signed, at: failed.date, [(0, "TIMED_OUT")])
        test.apple.add(test.notification(5).signed.forged, at: test.notification(5).date, [(0, "NO_RESPONSE")])
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: 3 * Self.day)

        let since = Self.start.advanced(byMilliseconds: -Self.day)
        let answer = try await test.reconciler.reconcile(since: since, until: .latest)
        #expect(answer.matched == 3 && answer.missing == 3 && answer.ingested == 2 && answer.unverifiable == 1)
        #expect(answer.lost == 1 && answer.pending == 0, "the sandbox delivers once")
        #expect(answer.notCovered == nil && answer.since == since)
        #expect(answer.lateness.seconds(0.5) == 10 && answer.lateness.seconds(1) == 20)
        let records = try test.records
        #expect(records.map(\.kind) == [EventKind](repeating: .notificationReceived, count: 5) + [.reconciled])
        #expect(records.suffix(3).allSatisfy { $0.source == .reconcile })
        #expect(records.last?.environment == .sandbox && records.last?.trust == .own)
        let body = try JSONDocument(parsing: try #require(records.last).body).root
        #expect(body["bundleId"]?.string == SampleArtifact.bundleId && body["missing"]?.integer == 3)

        let again = try await test.reconciler.reconcile(since: since, until: .latest)
        #expect(again.matched == 5 && again.missing == 1 && again.ingested == 0 && again.unverifiable == 1)
        #expect(try test.records.count == 7, "only the comparison itself is new")
    }

    @Test func `counts each notification once when a day has to be read again`() async throws {
        let test = try Fixture()
        for number in 0..<5 {
            let notification = test.notification(number)
            test.apple.add(notification.signed, at: notification.date, [(0, "TIMED_OUT")])
        }
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day / 2)
        for code: Int64 in [4_000_014, 4_000_017] {
            let answer = try await Self.reconcileFailing(test, code)
            #expect(answer.missing + answer.matched == 5)
        }
    }

    @Test func `reads a day again whose pages end without a token for the next`() async throws {
        let test = try Fixture()
        for number in 0..<5 {
            let notification = test.notification(number)
            test.apple.add(notification.signed, at: notification.date, [(0, "TIMED_OUT")])
        }
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day / 2)
        test.apple.omitTokens(1)
        let answer = try await test.reconciler.reconcile(since: Self.start, until: .latest)
        #expect(answer.missing == 5 && answer.ingested == 5)
        test.apple.omitTokens(100)
        await #expect(throws: ReconcileFailure.self) {
            try await test.reconciler.reconcile(since: Self.start, until: .latest)
        }
    }

    @Test func `ends when Apple repeats a token`() async throws {
        let test = try Fixture()
        for number in 0..<5 {
            let notification = test.notification(number)
            test.apple.add(notification.signed, at: notification.date, [(0, "TIMED_OUT")])
        }
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day / 2)
        test.apple.repeatToken()
        await #expect(throws: ReconcileFailure.self) {
            try await test.reconciler.reconcile(since: Self.start, until: .latest)
        }
        #expect(test.apple.questions.count < 20)
    }

    @Test func `reads the history of an app after the failure of another, which it throws`() async throws {
        let test = try Fixture(["com.example.other", SampleArtifact.bundleId])
        try await test.deliver(test.notification(0), after: 0)
        let missed = (test.notification(1), test.notification(2))
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day / 2)
        test.apple.add(missed.0.signed, at: missed.0.date, [(0, "TIMED_OUT")])
        let failure = await #expect(throws: ReconcileFailure.self) {
            try await test.reconciler.reconcile(since: Self.start, until: .latest)
        }
        #expect(failure?.diagnosis.code == "api_unauthorized")
        #expect(try test.records.map(\.kind) == [.notificationReceived, .notificationReceived, .reconciled])
        let recent = test.ledger.clock.now.advanced(byMilliseconds: -30 * Self.minute)
        test.apple.add(missed.1.signed, at: recent, [(0, "TIMED_OUT")])
        await #expect(throws: ReconcileFailure.self) { try await test.reconciler.reconcileSinceLast() }
        #expect(try test.records.map(\.kind).suffix(2) == [.notificationReceived, .reconciled])
    }

    @Test func `moves the start of the next comparison forward only, and over no gap`() async throws {
        let test = try Fixture()
        try await test.deliver(test.notification(0), after: 0)
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: 2 * Self.day)
        let first = try #require(try await test.reconciler.reconcileSinceLast())
        let earlier = Self.start.advanced(byMilliseconds: Self.day)
        _ = try await test.reconciler.reconcile(since: Self.start, until: earlier)
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: 4 * Self.day)
        let later = Self.start.advanced(byMilliseconds: 3 * Self.day)
        _ = try await test.reconciler.reconcile(since: later, until: .latest)
        let second = try #require(try await test.reconciler.reconcileSinceLast())
        #expect(second.since == first.until.advanced(byMilliseconds: -Instant.millisecondsPerHour))
        #expect(second.until > later)
        let overlapping = try await test.reconciler.reconcile(since: later, until: .latest)
        let third = try #require(try await test.reconciler.reconcileSinceLast())
        #expect(third.since == overlapping.until.advanced(byMilliseconds: -Instant.millisecondsPerHour))
    }

    /// Reconciles, with the code in place of the first answer.
    private static func reconcileFailing(_ test: Fixture, _ code: Int64) async throws -> ReconcileAnswer {
        test.apple.fail(.success(code))
        return try await test.reconciler.reconcile(since: start, until: .latest)
    }

    @Test func `names the part of the window that Apple does not answer about`() async throws {
        let test = try Fixture()
        let notification = test.notification(0, afterDays: 40)
        test.apple.add(notification.signed, at: notification.date, [(0, "TIMED_OUT")])
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: 60 * Self.day)
        test.apple.fail(.success(4_000_012), .success(4_000_012))
        let answer = try await test.reconciler.reconcile(since: Self.start, until: .latest)
        #expect(answer.missing == 1 && answer.since == Self.start)
        let covered = try #require(answer.notCovered?.until)
        // 30 days back, and two steps of an hour.
        let expected = 30 * Self.day + 2 * Instant.millisecondsPerHour
        #expect(0...60_000 ~= covered.milliseconds - Self.start.milliseconds - expected)
        #expect(answer.until < test.ledger.clock.now.advanced(byMilliseconds: -5 * Self.minute + 60_000))
    }

    @Test func `asks again after failed calls, and gives up only when an operator has to act`() async throws {
        let test = try Fixture()
        let notification = test.notification(0)
        test.apple.add(notification.signed, at: notification.date, [(0, "TIMED_OUT")])
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day / 2)
        let until = test.ledger.clock.now.advanced(byMilliseconds: 30_000)
        test.apple.fail(
            .failure(.unavailable(found: "status 500")), .failure(.rateLimited(until: until)),
            .failure(.unavailable(found: "an HTML page")))
        #expect(try await test.reconciler.reconcile(since: Self.start, until: .latest).ingested == 1)
        test.apple.fail(.failure(.unauthorized))
        let failure = await #expect(throws: ReconcileFailure.self) {
            try await test.reconciler.reconcile(since: Self.start, until: .latest)
        }
        #expect(failure?.diagnosis.code == "api_unauthorized")
    }

    @Test func `counts nothing as lost that Apple delivers after it was found`() async throws {
        let test = try Fixture()
        try await test.deliver(test.notification(0), after: 0)
        let failed = test.notification(1)
        test.apple.add(failed.signed, at: failed.date, [(0, "TIMED_OUT")])
        test.apple.deliverAfterFailures()
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day / 2)
        let answer = try #require(try await test.reconciler.reconcileSinceLast())
        #expect(answer.missing == 1 && answer.ingested == 1 && answer.lost == 0)
    }

    @Test func `begins an hour before the last window, with what failed`() async throws {
        let test = try Fixture()
        #expect(try await test.reconciler.reconcileSinceLast() == nil, "nothing was recorded yet")
        try await test.deliver(test.notification(0), after: 0)
        let (failed, late) = (test.notification(1), test.notification(2))
        test.apple.add(failed.signed, at: failed.date, [(0, "TIMED_OUT")])
        test.apple.add(late.signed, at: late.date, [(0, "SUCCESS")])
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day / 2)
        let first = try #require(try await test.reconciler.reconcileSinceLast())
        #expect(first.since == Self.start && first.missing == 2 && first.ingested == 2 && first.lost == 1)
        #expect(test.apple.questions.map(\.onlyFailures) == [true, false])
        test.ledger.clock.now = Self.start.advanced(byMilliseconds: Self.day)
        let second = try #require(try await test.reconciler.reconcileSinceLast())
        #expect(second.since == first.until.advanced(byMilliseconds: -Instant.millisecondsPerHour))
        #expect(second.missing == 0)
    }
}
