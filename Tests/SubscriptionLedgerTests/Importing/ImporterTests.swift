import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization
import Testing

@Suite struct `An import` {
    private static let start = Instant(milliseconds: SampleArtifact.signedDate)
    private static let end = start.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)
    private static let hour = Instant.millisecondsPerHour

    /// The accounts that Apple knows, each with one subscription of two transactions, and what it was asked.
    private final class Apple: Sendable {
        private let accounts = Mutex<[String: Environment]>([:])
        private let failures = Mutex<[ServerAPIFailure]>([])
        private let requests = Mutex<[String]>([])
        private let repetitions = Mutex<Int?>(nil)
        private let interrupted = Mutex<String?>(nil)
        private let retried = Mutex<Set<String>>([])

        var asked: [String] { requests.withLock { $0 } }

        func add(_ id: String, _ environment: Environment = .production) {
            accounts.withLock { $0[id] = environment }
        }

        /// The repetitions that the budget allowed for the first call after `repeatFirst`.
        var allowedRepetitions: Int? { repetitions.withLock { $0 } }

        /// Repeats the next call as often as the budget allows.
        func repeatFirst() { repetitions.withLock { $0 = 0 } }

        /// Ends the next call about an id with an error of this machine, after the calls of the same round.
        func interrupt(_ id: String) { interrupted.withLock { $0 = id } }

        /// Answers about an id with an error that a repetition may cure.
        func retry(_ id: String) { retried.withLock { _ = $0.insert(id) } }

        private func isInterrupted(_ request: ServerAPIRequest) -> Bool {
            interrupted.withLock { id in
                guard let found = id, request.path.hasSuffix(found) else { return false }
                id = nil
                return true
            }
        }

        private func repeatIfFirst(_ mayRepeat: () -> Bool) {
            guard repetitions.withLock({ $0 == 0 }) else { return }
            var count = 0
            while mayRepeat() { count += 1 }
            repetitions.withLock { $0 = count }
        }

        /// Fails a number of the next calls.
        func fail(_ failure: ServerAPIFailure, times: Int = 1) {
            failures.withLock { $0 += Array(repeating: failure, count: times) }
        }

        func connection(
            _ ledger: FeedLedger, _ environment: Environment = .production, _ budget: SharedBudget = SharedBudget()
        ) -> AppStoreConnection {
            let app = CallBudget.App(bundleId: SampleArtifact.bundleId, environment: environment)
            let clock = ledger.clock
            return AppStoreConnection(app, within: budget, clock: { clock.now }) { request, mayRepeat in
                self.requests.withLock { $0.append("\(environment.rawValue)\(request.target)") }
                self.repeatIfFirst(mayRepeat)
                if self.isInterrupted(request) {
                    try await Task.sleep(for: .milliseconds(100))
                    throw StorageError(.busy, "the write queue is full")
                }
                if let failure = self.failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
                let answer = self.answer(request, environment, now: clock.now)
                return try ServerAPIReply.read(
                    Array(answer.utf8), status: answer.contains("errorCode") ? 404 : 200, of: request)
            }
        }

        private func answer(_ request: ServerAPIRequest, _ environment: Environment, now: Instant) -> String {
            let asked = request.path.split(separator: "/").last.map(String.init) ?? ""
            let id = accounts.withLock { accounts in
                accounts.first { asked.hasPrefix($0.key) && $0.value == environment }?.key
            }
            if retried.withLock({ $0.contains(asked) }) { return #"{"errorCode":4040004,"errorMessage":"Try again."}"# }
            guard let id else { return #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"# }
            let app = #""bundleId":"\#(SampleArtifact.bundleId)","environment":"\#(environment.rawValue)""#
            switch request.endpoint {
            case .transactionInfo:
                let number: Int64 = asked.hasSuffix("-2") ? 2 : 1
                return #"{"signedTransactionInfo":"\#(signed(number, id, environment, now).text)"}"#
            case .transactionHistory:
                let isSecond = request.query.contains { $0.name == "revision" }
                let text = signed(isSecond ? 2 : 1, id, environment, now).text
                return """
                    {"revision":"\(isSecond ? 2 : 1)","hasMore":\(!isSecond),\(app),"signedTransactions":["\(text)"]}
                    """
            default:
                let renewalInfo = SampleArtifact.renewalInfo([
                    "originalTransactionId": .string(id), "signedDate": .integer(now.milliseconds),
                    "environment": .string(environment.rawValue),
                ])
                return """
                    {\(app),"data":[{"lastTransactions":[{"originalTransactionId":"\(id)","status":1,\
                    "signedTransactionInfo":"\(signed(2, id, environment, now).text)",\
                    "signedRenewalInfo":"\(renewalInfo.text)"}]}]}
                    """
            }
        }
    }

    /// One of the two transactions of an account.
    private static func signed(
        _ number: Int64, _ id: String, _ environment: Environment = .production, _ signedAt: Instant = start
    ) -> SignedJWS {
        let begin = number == 1 ? start.advanced(byMilliseconds: -30 * Instant.millisecondsPerDay) : start
        return SampleArtifact.transaction([
            "transactionId": .string(number == 1 ? id : "\(id)-\(number)"), "originalTransactionId": .string(id),
            "purchaseDate": .integer(begin.milliseconds),
            "expiresDate": .integer(begin.milliseconds + 30 * Instant.millisecondsPerDay),
            "transactionReason": .string(number == 1 ? "PURCHASE" : "RENEWAL"),
            "signedDate": .integer(signedAt.milliseconds), "environment": .string(environment.rawValue),
        ])
    }

    /// A ledger with an importer that asks Apple.
    private final class World {
        let ledger: FeedLedger
        let apple = Apple()
        let budget: SharedBudget
        private var opened: Importer?

        var importer: Importer {
            guard let opened else { preconditionFailure("the ledger is closed") }
            return opened
        }

        init(_ environments: [Environment] = [.production], _ budget: SharedBudget = SharedBudget()) throws {
            ledger = try FeedLedger(at: start)
            self.budget = budget
            opened = try Self.importer(ledger, apple, environments, budget)
        }

        private static func importer(
            _ ledger: FeedLedger, _ apple: Apple, _ environments: [Environment], _ budget: SharedBudget
        ) throws -> Importer {
            try Importer(
                ledger.ledger, environments.map { apple.connection(ledger, $0, budget) },
                PollStore(writing: ledger.folder))
        }

        /// Ends the process at any point, as far as a test can.
        func restart() throws {
            opened = nil
            try ledger.reopen()
            opened = try Self.importer(ledger, apple, [.production], budget)
        }

        /// Returns the rows of an import at once, without asking.
        func post(_ text: String) async throws -> [String] {
            let incoming = try importer.incoming(by: .backend)
            try incoming.write(Array(text.utf8))
            var rows: [String] = []
            try await importer.decide(try await importer.keep(incoming)) { lines in
                rows += lines.map { $0.json.serialized() }
            }
            return rows
        }

        /// Makes rounds while there is something to do, each a second after the other.
        func finish(rounds: Int = 1_000) async throws {
            var quiet = 0
            for _ in 0..<rounds where quiet < 700 {
                quiet = try await importer.round() ? 0 : quiet + 1
                ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 1_000)
            }
        }

        func verdicts(_ text: String) async throws -> [String] {
            _ = try await post(text)
            try await finish()
            return try await post(text)
        }

        func status(_ id: String) throws -> SubscriptionRow? {
            try ledger.ledger.reader.state(
                of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: ledger.clock.now)
            )?.subscriptions.first
        }

        var size: UInt64 { get throws { try ledger.ledger.reader.knownSize(nil) } }
    }

    private static func line(_ number: Int, _ verdict: String, _ code: String? = nil) -> String {
        #"{"line":\#(number),"verdict":"\#(verdict)"\#(code.map { #","code":"\#($0)""# } ?? "")}"#
    }

    @Test func `fills an id with the transactions and the status that Apple has, once`() async throws {
        let world = try World()
        world.apple.add("2000")
        let row = #"{"originalTransactionId":"2000","customerId":"alice"}"# + "\n"
        #expect(try await world.post(row) == [Self.line(1, "waiting")])
        try await world.finish()
        #expect(try await world.post(row) == [Self.line(1, "filled")])
        let prefix = "Production/inApps"
        #expect(
            world.apple.asked == [
                prefix + "/v2/history/2000?sort=ASCENDING", prefix + "/v2/history/2000?sort=ASCENDING&revision=1",
                prefix + "/v1/subscriptions/2000",
            ])
        let state = try #require(try world.status("2000"))
        #expect(state.status == "active" && state.willRenew == true)
        let customer = try world.ledger.ledger.reader.customer(
            "alice", AsOfQuery(asOf: world.ledger.clock.now))
        #expect(customer.subscriptions.map(\.id.originalTransactionId) == ["2000"])

        let size = try world.size
        #expect(try await world.verdicts(row + row) == [Self.line(1, "known"), Self.line(2, "known")])
        #expect(world.apple.asked.count == 3)
        #expect(try world.size == size)
    }

    @Test func `has a verdict on every row, whatever is wrong with it`() async throws {
        let world = try World([.production, .sandbox])
        world.apple.add("2000")
        world.apple.add("2001", .sandbox)
        try await world.ledger.append(Self.signed(1, "1000").compact)
        let jws = Self.signed(1, "3000").text
        let foreign = SampleArtifact.transaction(["bundleId": .string("com.example.other")]).text
        let rows: [(row: String, verdict: String, code: String?)] = [
            (#"{"originalTransactionId":"1000"}"#, "known", nil),
            (#"{"originalTransactionId":"1000","customerId":"ann"}"#, "known", nil),
            (#"{"originalTransactionId":"1000","customerId":"bob"}"#, "conflict", "link_refused"),
            (#"{"originalTransactionId":"2000"}"#, "filled", nil),
            (#"{"originalTransactionId":"2001"}"#, "filled", nil),
            (#"{"originalTransactionId":"2001","environment":"Production"}"#, "unknown_id", nil),
            (#"{"originalTransactionId":"9000"}"#, "unknown_id", nil),
            (#"{"originalTransactionId":"9000","bundleId":"com.example.other"}"#, "waiting", "configuration_invalid"),
            (#"{"jws":"\#(jws)","customerId":"cyd"}"#, "filled", nil),
            (#"{"jws":"\#(jws)"}"#, "known", nil),
            (#"{"jws":"\#(jws)","customerId":"dan"}"#, "conflict", "link_refused"),
            (#"{"jws":"\#(foreign)"}"#, "refused", "bundle_mismatch"),
            (#"{"jws":"no JWS"}"#, "refused", "jws_malformed"),
            (#"{"receipt":"AAAA"}"#, "refused", "cms_malformed"),
            ("{}", "malformed", "posting_malformed"),
            ("[]", "malformed", "posting_malformed"),
            ("originalTransactionId", "malformed", "payload_not_json"),
            (#"{"originalTransactionId":"1","originalTransactionId":"2"}"#, "malformed", "payload_duplicate_key"),
            (#"{"originalTransactionId":"1","transactionId":"2"}"#, "malformed", "posting_malformed"),
            (#"{"originalTransactionId":1}"#, "malformed", "posting_malformed"),
            (#"{"originalTransactionId":""}"#, "malformed", "posting_malformed"),
            (#"{"originalTransactionId":"1","shoeSize":"46"}"#, "malformed", "posting_malformed"),
            (#"{"originalTransactionId":"1","environment":"Xcode"}"#, "malformed", "posting_malformed"),
            (#"{"originalTransactionId":"1","customerId":".."}"#, "malformed", "customer_id_invalid"),
            (#"{"originalTransactionId":"1","appAccountToken":"me"}"#, "malformed", "posting_malformed"),
        ]
        let text = rows.map { $0.row + "\n" }.joined() + "\n  \r\n"
        let verdicts = try await world.verdicts(text)
        for (number, row) in rows.enumerated() {
            #expect(verdicts[number] == Self.line(number + 1, row.verdict, row.code), "\(row.row)")
        }
        #expect(verdicts.count == rows.count)
        #expect(try world.status("2000")?.status == "active")
        #expect(try await world.verdicts(#"{"transactionId":"2000-2"}"#) == [Self.line(1, "known")])
    }

    @Test func `gives a purchase that several rows claim to the first of them`() async throws {
        let world = try World()
        world.apple.add("2000")
        let jws = Self.signed(1, "3000").text
        let rows = ["ann", "bob", "cyd"].flatMap { owner in
            [
                #"{"originalTransactionId":"2000","customerId":"\#(owner)"}"#,
                #"{"jws":"\#(jws)","customerId":"\#(owner)"}"#,
            ]
        }
        let verdicts = try await world.verdicts(rows.map { $0 + "\n" }.joined())
        let conflicts = (3...6).map { Self.line($0, "conflict", "link_refused") }
        #expect(verdicts == [Self.line(1, "filled"), Self.line(2, "filled")] + conflicts)
    }

    @Test func `finds the account of any transaction`() async throws {
        let world = try World()
        world.apple.add("2000")
        #expect(try await world.verdicts(#"{"transactionId":"2000-2"}"#) == [Self.line(1, "filled")])
        #expect(try world.status("2000")?.willRenew == true)
        world.apple.add("3000")
        let row = #"{"originalTransactionId":"3000-2"}"#
        #expect(
            try await world.verdicts(row) == [Self.line(1, "filled")], "the id of another transaction of the account")
        #expect(try world.status("3000")?.willRenew == true)
    }

    @Test func `maps the token of a row to its customer`() async throws {
        let world = try World()
        let token = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
        world.apple.add("2000")
        let row = #"{"originalTransactionId":"2000","customerId":"alice","appAccountToken":"\#(token)"}"#
        #expect(try await world.verdicts(row) == [Self.line(1, "filled")])
        let later = SampleArtifact.transaction([
            "transactionId": .string("5000"), "originalTransactionId": .string("5000"),
            "appAccountToken": .string(token), "environment": .string("Production"),
        ])
        try await world.ledger.append(later.compact)
        let customer = try world.ledger.ledger.reader.customer(
            "alice", AsOfQuery(asOf: world.ledger.clock.now))
        #expect(customer.subscriptions.map(\.id.originalTransactionId) == ["2000", "5000"])
    }

    @Test func `continues after failures and after a restart, and loses nothing`() async throws {
        let world = try World()
        let ids = (2_000..<2_040).map(String.init)
        for id in ids { world.apple.add(id) }
        let text = ids.map { #"{"originalTransactionId":"\#($0)"}"# + "\n" }.joined()
        _ = try await world.post(text)
        world.apple.fail(.unavailable(found: "status 503"), times: 5)
        world.apple.fail(.rateLimited(until: Self.start.advanced(byMilliseconds: 60_000)), times: 1)
        for _ in 0..<4 {
            try await world.finish(rounds: 40)
            try world.restart()
        }
        try await world.finish()
        #expect(try await world.post(text) == ids.indices.map { Self.line($0 + 1, "filled") })
        for id in ids {
            #expect(try world.status(id)?.willRenew == true)
            let keys = try world.ledger.ledger.reader.state(
                of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: world.ledger.clock.now))
            #expect(keys?.subscriptions.count == 1)
        }
        try world.restart()
        let asked = world.apple.asked.count
        #expect(try await world.verdicts(text) == ids.indices.map { Self.line($0 + 1, "filled") })
        #expect(world.apple.asked.count == asked)
    }

    @Test func `has the rest of a history that a restart interrupted`() async throws {
        let world = try World()
        world.apple.add("2000")
        let row = #"{"originalTransactionId":"2000"}"#
        _ = try await world.post(row)
        _ = try await world.importer.round()
        #expect(world.apple.asked.count == 1)
        #expect(try world.status("2000")?.expiresAt == Self.start, "the second page is missing")
        try world.restart()
        #expect(try await world.verdicts(row) == [Self.line(1, "filled")])
        #expect(try world.status("2000")?.expiresAt == Self.end)
    }

    @Test func `loses no row when reading the file is interrupted`() async throws {
        let world = try World()
        let ids = ["2000", "3000", "4000"]
        for id in ids { world.apple.add(id) }
        let text = ids.map { #"{"originalTransactionId":"\#($0)"}"# + "\n" }.joined()
        _ = try await world.post(text)
        let importer = world.importer
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { _ = try await importer.round() }
                try await group.waitForAll()
            }
        }
        #expect(try await world.verdicts(text) == ids.indices.map { Self.line($0 + 1, "filled") })
    }

    @Test func `fills the other rows of a round in which recording an answer fails`() async throws {
        let world = try World()
        let ids = ["2000", "3000", "4000"]
        for id in ids { world.apple.add(id) }
        world.apple.interrupt("2000")
        let text = ids.map { #"{"originalTransactionId":"\#($0)"}"# + "\n" }.joined()
        _ = try await world.post(text)
        let importer = world.importer
        await #expect(throws: StorageError.self) { _ = try await importer.round() }
        #expect(try await world.verdicts(text) == ids.indices.map { Self.line($0 + 1, "filled") })
        for id in ids { #expect(try world.status(id)?.expiresAt == Self.end) }
    }

    @Test func `gives a subscription to the first owner, also when the first call about it fails`() async throws {
        let world = try World()
        world.apple.add("2000")
        world.apple.fail(.unavailable(found: "no answer"))
        let text = ["first", "second"].map { #"{"originalTransactionId":"2000","customerId":"\#($0)"}"# + "\n" }
            .joined()
        _ = try await world.post(text)
        for _ in 0..<3 {
            world.ledger.clock.now = world.ledger.clock.now.advanced(byMilliseconds: Self.hour)
            try await world.finish(rounds: 10)
        }
        let verdicts = try await world.post(text)
        #expect(verdicts == [Self.line(1, "filled"), Self.line(2, "conflict", "link_refused")])
    }

    @Test func `refuses the answer about another transaction than it asked about`() async throws {
        let world = try World()
        world.apple.add("2000")
        // The account of 2000 answers, with a transaction of another id.
        let text = #"{"transactionId":"2000-7","customerId":"mallory"}"#
        _ = try await world.post(text)
        try await world.finish()
        #expect(try await world.post(text) == [Self.line(1, "refused", "answer_mismatch")])
    }

    @Test func `refuses an id after repeated errors, without a wait of the other ids`() async throws {
        let world = try World()
        for id in ["2000", "3000"] { world.apple.add(id) }
        world.apple.retry("2000")
        let text = ["2000", "3000"].map { #"{"originalTransactionId":"\#($0)"}"# + "\n" }.joined()
        #expect(try await world.post(text).count == 2)
        try await world.finish(rounds: 10)
        #expect(try await world.post(text) == [Self.line(1, "waiting"), Self.line(2, "filled")])
        for _ in 0..<10 {
            world.ledger.clock.now = world.ledger.clock.now.advanced(byMilliseconds: Self.hour)
            try await world.finish(rounds: 10)
        }
        #expect(try await world.post(text) == [Self.line(1, "refused", "4040004"), Self.line(2, "filled")])
        #expect(world.apple.asked.filter { $0.contains("2000") }.count == 4)
    }

    @Test func `is decided although its caller left before reading a verdict`() async throws {
        let world = try World()
        world.apple.add("2000")
        let text = #"{"originalTransactionId":"2000"}"#
        let incoming = try world.importer.incoming(by: .backend)
        try incoming.write(Array(text.utf8))
        _ = try await world.importer.keep(incoming)
        try await world.finish()
        #expect(try world.status("2000")?.status == "active")
        #expect(try await world.post(text) == [Self.line(1, "filled")])
    }

    @Test func `repeats failed calls within its half of the budget`() async throws {
        let world = try World([.production], SharedBudget(callsPerHour: 600, headroom: 1))
        world.apple.add("2000")
        world.apple.repeatFirst()
        _ = try await world.post(#"{"originalTransactionId":"2000"}"#)
        _ = try await world.importer.round()
        let repetitions = try #require(world.apple.allowedRepetitions)
        #expect((1...4).contains(repetitions), "five calls at once, one of them made")
    }

    @Test func `takes at most half of the calls, and leaves the others to polls`() async throws {
        let budget = SharedBudget(callsPerHour: 600, headroom: 1)
        let world = try World([.production], budget)
        let ids = (20_000..<21_000).map(String.init)
        for id in ids { world.apple.add(id) }
        _ = try await world.post(ids.map { #"{"originalTransactionId":"\#($0)"}"# + "\n" }.joined())
        for _ in 0..<3_600 {
            _ = try await world.importer.round()
            world.ledger.clock.now = world.ledger.clock.now.advanced(byMilliseconds: 1_000)
        }
        #expect((200...300).contains(world.apple.asked.count), "\(world.apple.asked.count) calls in an hour")
        let app = CallBudget.App(bundleId: SampleArtifact.bundleId, environment: .production)
        var polls = 0
        let before = world.apple.asked.count
        for _ in 0..<3_600 {
            while budget.take(.subscriptionStatuses, of: app, at: world.ledger.clock.now) == nil { polls += 1 }
            _ = try await world.importer.round()
            world.ledger.clock.now = world.ledger.clock.now.advanced(byMilliseconds: 1_000)
        }
        #expect(polls >= 590, "\(polls) polls")
        #expect(world.apple.asked.count - before < 10, "\(world.apple.asked.count - before) calls beside the polls")
    }

    @Test func `waits, and says why, when Apple refuses the key`() async throws {
        let world = try World()
        world.apple.add("2000")
        world.apple.fail(.unauthorized)
        let incoming = try world.importer.incoming(by: .backend)
        try incoming.write(Array(#"{"originalTransactionId":"2000"}"#.utf8))
        let file = try await world.importer.keep(incoming)
        let lines = Mutex<[ImportLine]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [importer = world.importer] in
                while !Task.isCancelled {
                    _ = try await importer.round()
                    try? await Task.sleep(for: .milliseconds(10))
                }
            }
            try await world.importer.follow(file) { found in lines.withLock { $0 += found } }
            group.cancelAll()
        }
        #expect(lines.withLock { $0 } == [ImportLine(line: 1, verdict: ImportVerdict(.waiting, "api_unauthorized"))])
        try world.restart()
        try await world.finish()
        #expect(try world.status("2000")?.status == "active")
    }

    @Test func `reports each verdict, also those after many rows that nobody can decide`() async throws {
        let world = try World([.production, .sandbox])
        world.apple.add("2000")
        world.apple.fail(.unauthorized)
        let stopped = #"{"originalTransactionId":"9000","environment":"Sandbox"}"# + "\n"
        let count = 2_200
        let incoming = try world.importer.incoming(by: .backend)
        try incoming.write(Array(String(repeating: stopped, count: count).utf8))
        try incoming.write(Array(#"{"originalTransactionId":"2000","environment":"Production"}"#.utf8))
        let file = try await world.importer.keep(incoming)
        let last = Mutex<[ImportLine]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [importer = world.importer] in
                while !Task.isCancelled {
                    _ = try await importer.round()
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
            try await world.importer.follow(file) { found in
                last.withLock { $0 += found.filter { $0.line > count } }
            }
            group.cancelAll()
        }
        #expect(last.withLock { $0 } == [ImportLine(line: count + 1, verdict: ImportVerdict(.filled))])
    }
}
