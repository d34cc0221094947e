import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import DuePolls
import EventLog
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `The poller with verifyReceipt` {
    private static let start = Instant(milliseconds: 1_768_474_800_000)
    private static let day = Instant.millisecondsPerDay
    private static let minute = Instant.millisecondsPerMinute
    private static let end = start.advanced(byMilliseconds: 30 * day)

    private typealias Apple = PreparedVerifyReceipt

    private static func connection(_ ledger: FeedLedger, _ apple: Apple) -> VerifyReceiptConnection {
        apple.connection(CallBudget.App(bundleId: SampleArtifact.bundleId, environment: .production), of: ledger)
    }

    /// A purchase in a receipt or in an answer.
    private struct Row {
        var id: String
        var original = "1"
        var start = Self.begin
        var token: String?
        static let begin = ReceiptPollTests.start

        var attributes: [ReceiptAttribute] {
            [
                ReceiptAttribute(.transactionId, .text(id)), ReceiptAttribute(.originalTransactionId, .text(original)),
                ReceiptAttribute(.productId, .text("pro")), ReceiptAttribute(.productType, .integer(3)),
                ReceiptAttribute(.purchaseDate, .text(start.iso8601)),
                ReceiptAttribute(.expiresDate, .text(start.advanced(byMilliseconds: 30 * day).iso8601)),
            ]
        }

        var json: String {
            """
            {"transaction_id":"\(id)","original_transaction_id":"\(original)","product_id":"pro",\
            "purchase_date_ms":"\(start.milliseconds)","in_app_ownership_type":"PURCHASED",\
            \(token.map { #""app_account_token":"\#($0)","# } ?? "")\
            "expires_date_ms":"\(start.milliseconds + 30 * day)"}
            """
        }
    }

    private typealias ReceiptPollTests = `The poller with verifyReceipt`

    private static func receipt(_ rows: [Row], created: Instant = start) throws -> String {
        let attributes = [
            ReceiptAttribute(.receiptType, .text("Production")),
            ReceiptAttribute(.bundleId, .text(SampleArtifact.bundleId)),
            ReceiptAttribute(.receiptCreationDate, .text(created.iso8601)),
        ]
        return Base64.encode(
            try ReceiptSigner.standard.sign(AppReceipt(attributes: attributes, inApp: rows.map(\.attributes))))
    }

    private static func answer(
        _ latest: [Row], to sent: [Row], at now: Instant, renews: Bool = true, created: Instant = start,
        newReceipt: String? = nil, bundleId: String = SampleArtifact.bundleId
    ) -> String {
        let elements = Set(latest.map(\.original)).sorted().map {
            #"{"original_transaction_id":"\#($0)","product_id":"pro","auto_renew_status":"\#(renews ? 1 : 0)"}"#
        }
        return """
            {"status":0,"environment":"Production","receipt":{"bundle_id":"\(bundleId)",\
            "receipt_creation_date_ms":"\(created.milliseconds)","request_date_ms":"\(now.milliseconds)",\
            "in_app":[\(sent.map(\.json).joined(separator: ","))]},\
            "latest_receipt_info":[\(latest.map(\.json).joined(separator: ","))],\
            \(newReceipt.map { #""latest_receipt":"\#($0)","# } ?? "")\
            "pending_renewal_info":[\(elements.joined(separator: ","))]}
            """
    }

    /// A ledger with the receipt of one subscription.
    private static func ledger(_ rows: [Row] = [Row(id: "11")]) async throws -> FeedLedger {
        let ledger = try FeedLedger(at: start.advanced(byMilliseconds: minute))
        let root = try ConfiguredRoot(file: ReceiptSigner.standard.rootCertificate)
        ledger.close()
        try ledger.open { $0.trust.configuredRoots.append(root) }
        try await ledger.append(Array(receipt(rows).utf8))
        return ledger
    }

    private static func poller(_ ledger: FeedLedger, _ apple: Apple) throws -> Poller {
        try Poller(
            ledger.ledger, [], receipts: [connection(ledger, apple)], PollStore(writing: ledger.folder),
            policy: PollPolicy())
    }

    private static func state(_ ledger: FeedLedger, _ id: String = "1") throws -> SubscriptionRow? {
        try ledger.ledger.reader.state(
            of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: ledger.clock.now)
        )?.subscriptions.first
    }

    @Test func `learns what a receipt cannot say, and of a renewal`() async throws {
        let (ledger, apple, rows) = (try await Self.ledger(), Apple(), [Row(id: "11")])
        let poller = try Self.poller(ledger, apple)
        apple.answer(Self.answer(rows, to: rows, at: ledger.clock.now))
        #expect(try await poller.round().changed == 1)
        #expect(try Self.state(ledger)?.willRenew == true && Self.state(ledger)?.inferred == [])
        #expect(apple.asked.map(\.receipt) == [try Self.receipt(rows)])
        #expect(try await poller.round() == Poller.Counts())
        ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Self.minute)
        let renewed = rows + [Row(id: "12", start: Self.end)]
        apple.answer(Self.answer(renewed, to: rows, at: ledger.clock.now))
        #expect(try await poller.round().changed == 1)
        #expect(try Self.state(ledger)?.expiresAt == Self.end.advanced(byMilliseconds: 30 * Self.day))
        let record = try #require(try ledger.ledger.reader.log.record(at: 1))
        #expect(record.kind == .statusPolled && record.trust == .fetched && record.artifact == .verifyReceiptAnswer)
    }

    @Test func `asks about an id that the Server API does not know, after that`() async throws {
        let (ledger, apple, rows) = (try await Self.ledger(), Apple(), [Row(id: "11")])
        let app = CallBudget.App(bundleId: SampleArtifact.bundleId, environment: .production)
        let clock = ledger.ledger.configuration.clock
        let api = AppStoreConnection(app, within: SharedBudget(), clock: clock) { request, _ in
            let unknown = #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#
            return try ServerAPIReply.read(Array(unknown.utf8), status: 404, of: request)
        }
        let poller = try Poller(
            ledger.ledger, [api], receipts: [Self.connection(ledger, apple)], PollStore(writing: ledger.folder),
            policy: PollPolicy())
        apple.answer(Self.answer(rows, to: rows, at: ledger.clock.now))
        _ = try await poller.ask(about: SubscriptionSelector(originalTransactionId: "1"))
        #expect(apple.asked.isEmpty)
        _ = try await poller.ask(about: SubscriptionSelector(originalTransactionId: "1"))
        #expect(apple.asked.count == 1)
        #expect(try Self.state(ledger)?.willRenew == true)
    }

    @Test func `sends the newest receipt that states the same subscriptions`() async throws {
        let rows = [Row(id: "11"), Row(id: "21", original: "2")]
        let (ledger, apple) = (try await Self.ledger(rows), Apple())
        let poller = try Self.poller(ledger, apple)
        let later = ledger.clock.now
        let (empty, full) = (
            try Self.receipt([], created: later), try Self.receipt(rows, created: later.advanced(byMilliseconds: 1_000))
        )
        try await ledger.append(Array(Self.receipt([rows[0]], created: later).utf8))
        apple.answer(Self.answer(rows, to: rows, at: later, newReceipt: empty))
        #expect(try await poller.round().changed == 1)
        ledger.clock.now = later.advanced(byMilliseconds: Self.minute)
        apple.answer(Self.answer(rows, to: rows, at: ledger.clock.now, newReceipt: full))
        for _ in 0..<2 { _ = try await poller.ask(about: SubscriptionSelector(originalTransactionId: "1")) }
        let first = try Self.receipt(rows)
        #expect(apple.asked.map(\.receipt) == [first, first, full])
    }

    @Test(arguments: ["of another app", "to another receipt", "without a purchase of the receipt"])
    func `refuses an answer`(_ title: String) async throws {
        let (ledger, apple, rows) = (try await Self.ledger(), Apple(), [Row(id: "11")])
        let now = ledger.clock.now
        let answer =
            switch title {
            case "of another app": Self.answer(rows, to: rows, at: now, bundleId: "com.example.other")
            case "to another receipt": Self.answer(rows, to: rows, at: now, created: now)
            default: Self.answer(rows, to: [], at: now)
            }
        apple.answer(answer)
        let before = try ledger.ledger.reader.log.size()
        #expect(try await Self.poller(ledger, apple).round().failed == 1)
        #expect(try ledger.ledger.reader.log.size() == before)
    }

    @Test(arguments: [
        ("a status that may pass", 21_005, [0, 1, 5, 21, 81]),
        ("an unreadable receipt, three times", 21_002, [0, 1, 5]),
        ("a receipt of no use", 21_003, [0]),
    ])
    func `asks again after`(_ title: String, _ status: Int, _ minutes: [Int64]) async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        apple.answer(#"{"status":\#(status)}"#)
        let begin = ledger.clock.now
        var asked: [Int64] = []
        for passed in Int64(0)..<100 {
            ledger.clock.now = begin.advanced(byMilliseconds: passed * Self.minute)
            if try await Self.poller(ledger, apple).round().polled > 0 { asked.append(passed) }
        }
        #expect(asked == minutes, "\(title)")
        #expect(try Self.state(ledger)?.entitled == true, "what is known stays")
        // The same status to the same question is one event.
        #expect(try ledger.ledger.reader.log.size() == 2)
    }

    @Test(arguments: [(21_004, "shared_secret_refused"), (21_000, "verify_receipt_refused")])
    func `stops for an app whose request Apple refuses`(_ status: Int, _ code: String) async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        apple.answer(#"{"status":\#(status)}"#)
        let connection = Self.connection(ledger, apple)
        let poller = try Poller(
            ledger.ledger, [], receipts: [connection], PollStore(writing: ledger.folder), policy: PollPolicy())
        let first = try await poller.round()
        #expect(first.failed == 1 && first.stoppedCalls.map(\.code) == [code])
        #expect(connection.stop?.code == code && StoppedCalls.codes.contains(code))
        ledger.clock.now = Self.end
        let again = try await poller.round()
        #expect(again.polled == 0 && again.rateLimited == 0 && again.stoppedCalls == first.stoppedCalls)
        let asked = try await poller.ask(about: SubscriptionSelector(originalTransactionId: "1"))
        #expect(asked.polled == 0 && asked.rateLimited == 0 && asked.stoppedCalls == first.stoppedCalls)
        let stop = try #require(asked.json.view["stoppedCalls"]?.elements?.first)
        #expect(stop["expected"]?.string == "status 0" && stop["found"]?.string == "status \(status)")
        #expect(stop["hint"]?.string == connection.stop?.hint && stop["bundleId"]?.string == SampleArtifact.bundleId)
        #expect(apple.asked.count == 1)
    }

    @Test func `asks about nothing without a receipt`() async throws {
        let (ledger, apple) = (try FeedLedger(at: Instant(milliseconds: SampleArtifact.signedDate)), Apple())
        try await ledger.append(SampleArtifact.transaction(["environment": .string("Production")]).compact)
        ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 2 * Instant.millisecondsPerHour)
        #expect(try await Self.poller(ledger, apple).round() == Poller.Counts())
    }

    @Test func `gives a new subscription to the customer of the receipt`() async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        _ = try await ledger.ledger.post(
            TransactionPosting(signedTransactions: [], receipt: Self.receipt([Row(id: "11")]), customerId: "alice"),
            by: .backend)
        let found = [Row(id: "11"), Row(id: "31", original: "3")]
        apple.answer(Self.answer(found, to: [Row(id: "11")], at: ledger.clock.now))
        #expect(try await Self.poller(ledger, apple).round().changed == 1)
        let answer = try ledger.ledger.reader.customer(
            "alice", AsOfQuery(asOf: ledger.clock.now), scope: CustomerScope(environment: .production)
        ).json.view
        #expect(
            answer["subscriptions"]?.elements?.compactMap { $0["originalTransactionId"]?.string } == ["1", "3"])
    }

    @Test(arguments: [Caller.backend, .app])
    func `gives an unknown token to the customer of the receipt, unless an app sent it`(_ caller: Caller) async throws {
        let (ledger, apple) = (try await Self.ledger(), Apple())
        let isBackend = caller.role != .app
        var posting = TransactionPosting(
            signedTransactions: [], receipt: try Self.receipt([Row(id: "11")]), customerId: "alice")
        posting.isVouchedFor = !isBackend
        _ = try await ledger.ledger.post(posting, by: caller)
        let token = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a"
        let found = [Row(id: "11", token: token)]
        apple.answer(Self.answer(found, to: [Row(id: "11")], at: ledger.clock.now))
        #expect(try await Self.poller(ledger, apple).round().changed == 1)
        func subscriptions(of customer: String) throws -> Int? {
            try ledger.ledger.reader.customer(
                customer, AsOfQuery(asOf: ledger.clock.now), scope: CustomerScope(environment: .production)
            ).json.view["subscriptions"]?.elements?.count
        }
        #expect(try subscriptions(of: "alice") == 1)
        #expect(try subscriptions(of: token) == (isBackend ? 1 : 0))
    }
}
