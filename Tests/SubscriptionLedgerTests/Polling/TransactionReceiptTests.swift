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

@Suite struct `A receipt of iOS 6` {
    private static let start = Instant(milliseconds: 1_768_474_800_000)
    private static let end = start.advanced(byMilliseconds: 30 * Instant.millisecondsPerDay)

    /// A ledger of one app, and its verifyReceipt with a prepared answer.
    private final class Stage {
        let ledger: FeedLedger
        /// Nil when the test is done with it, so that others can open its files.
        var poller: Poller?
        private let apple = PreparedVerifyReceipt()

        init() throws {
            ledger = try FeedLedger(at: start)
            try reopen {
                $0.trust.apps = [TrustPolicy.App(bundleId: SampleArtifact.bundleId)]
                $0.trust.environments = [.production, .sandbox]
            }
        }

        /// Opens the ledger with another configuration.
        func reopen(_ adjust: (inout Ledger.Configuration) -> Void) throws {
            poller = nil
            ledger.close()
            try ledger.open(adjust)
            let apps = [Environment.production, .sandbox].map {
                CallBudget.App(bundleId: SampleArtifact.bundleId, environment: $0)
            }
            poller = try Poller(
                ledger.ledger, [], receipts: apps.map { apple.connection($0, of: ledger) },
                PollStore(writing: ledger.folder),
                policy: PollPolicy())
        }

        var asked: [VerifyReceiptRequest] { apple.asked }

        /// Lets Apple answer the questions that are due.
        func poll(_ answer: String, in environment: Environment = .production) async throws -> Poller.Counts {
            apple.answer(answer, in: environment)
            return try await poller?.round() ?? Poller.Counts()
        }

        func post(
            _ receipt: String, for customer: String = "alice", by caller: Caller = .backend
        ) async throws -> PostingAnswer<SubscriptionRow> {
            var posting = TransactionPosting(signedTransactions: [], receipt: receipt, customerId: customer)
            posting.isVouchedFor = caller.role == .app
            return try await ledger.ledger.post(posting, by: caller)
        }

        /// The originalTransactionIds of a customer's subscriptions.
        func subscriptions(of customer: String, in environment: Environment = .production) throws -> [String]? {
            try ledger.ledger.reader.customer(
                customer, AsOfQuery(asOf: ledger.clock.now), scope: CustomerScope(environment: environment)
            ).json.view["subscriptions"]?.elements?.compactMap { $0["originalTransactionId"]?.string }
        }

        func kinds() throws -> [EventKind] {
            let log = ledger.ledger.reader.log
            return try (0..<log.size()).compactMap { try log.record(at: $0)?.kind }
        }
    }

    private static func plist(_ entries: [(String, String)]) -> String {
        "{\n" + entries.map { "\t\"\($0)\" = \"\($1)\";\n" }.joined() + "}"
    }

    private static func receipt(
        _ id: String = "11", original: String = "1", bundleId: String = SampleArtifact.bundleId,
        environment: String? = nil, signature: String = "AwD"
    ) -> String {
        let info = plist([
            ("bid", bundleId), ("transaction-id", id), ("original-transaction-id", original), ("product-id", "pro"),
        ])
        let outer = [("signature", signature), ("purchase-info", Base64.encode(Array(info.utf8))), ("pod", "100")]
        return Base64.encode(Array(plist(outer + (environment.map { [("environment", $0)] } ?? [])).utf8))
    }

    /// An answer to the receipt of purchase `id`, with a newer purchase.
    private static func answer(to id: String = "11", status: Int = 0) -> String {
        func row(_ id: String, _ bundle: String) -> String {
            """
            {\(bundle)"transaction_id":"\(id)","original_transaction_id":"1","product_id":"pro",\
            "purchase_date_ms":"\(start.milliseconds)","expires_date":"\(end.milliseconds)"}
            """
        }
        let latest = status == 21_006 ? "latest_expired_receipt_info" : "latest_receipt_info"
        return """
            {"status":\(status),"auto_renew_status":1,"auto_renew_product_id":"pro","latest_receipt":"ewo=",\
            "receipt":\(row(id, #""bid":"\#(SampleArtifact.bundleId)","#)),"\(latest)":\(row(id, ""))}
            """
    }

    @Test func `is refused until Apple has answered for it, then counts like an app receipt`() async throws {
        let stage = try Stage()
        let first = try await stage.post(Self.receipt())
        #expect(first.isEverythingRefused && first.finish.isEmpty)
        #expect(first.refused.map(\.code) == ["needs_verify_receipt"] && first.refused.map(\.advice) == ["postAgain"])
        #expect(try stage.kinds() == [.transactionReceiptReceived])
        #expect(try stage.subscriptions(of: "alice") == [])
        #expect(try stage.ledger.ledger.quarantine.size().items == 0)

        #expect(try await stage.poll(Self.answer()).changed == 1)
        #expect(stage.asked.map(\.receipt) == [Self.receipt()])
        #expect(try stage.subscriptions(of: "alice") == [], "nobody has claimed it yet")

        let again = try await stage.post(Self.receipt())
        #expect(again.refused.isEmpty && again.finish == again.duplicates)
        #expect(
            again.finish == [TransactionName(transactionId: "11", originalTransactionId: "1")])
        #expect(try stage.subscriptions(of: "alice") == ["1"])
        // The answer states one purchase, so the others are asked for.
        #expect(try await stage.poll(Self.answer()).polled == 1)
        #expect(stage.asked.map(\.excludesOldTransactions) == [true, false])
        #expect(try await stage.poll(Self.answer()) == Poller.Counts(), "nothing is left to ask")
        let row = try stage.ledger.ledger.reader.state(
            of: SubscriptionSelector(originalTransactionId: "1"), AsOfQuery(asOf: stage.ledger.clock.now)
        )?.subscriptions.first
        #expect(row?.entitled == true && row?.willRenew == true && row?.historyIncomplete == true)
    }

    @Test func `says nothing about a subscription by itself`() async throws {
        let stage = try Stage()
        _ = try await stage.post(Self.receipt())
        let state = try stage.ledger.ledger.reader.state(
            of: SubscriptionSelector(originalTransactionId: "1"), AsOfQuery(asOf: stage.ledger.clock.now))
        #expect(state?.subscriptions.isEmpty ?? true)
        #expect(try stage.ledger.storedRows().isEmpty, "no transition")
        stage.poller = nil
        let due = try stage.ledger.ledger.reader.duePolls(at: stage.ledger.clock.now, policy: PollPolicy())
        #expect(due.map(\.why) == ["token"])
    }

    @Test func `written by somebody else does not claim the purchase that Apple knows`() async throws {
        let stage = try Stage()
        _ = try await stage.post(Self.receipt())
        _ = try await stage.poll(Self.answer())
        let forged = Self.receipt(signature: "AwE")
        #expect(try await stage.post(forged, for: "mallory").refused.map(\.code) == ["needs_verify_receipt"])
        // The forger's receipt is asked about, and Apple refuses it.
        stage.ledger.clock.now = Self.start.advanced(byMilliseconds: Instant.millisecondsPerMinute)
        #expect(try await stage.post(Self.receipt(signature: "AwF"), for: "mallory").isEverythingRefused)
        #expect(try await stage.poll(#"{"status":21003}"#).failed == 1)
        #expect(try await stage.post(forged, for: "mallory").isEverythingRefused)
        #expect(try stage.subscriptions(of: "mallory") == [])
        #expect(try await stage.post(Self.receipt()).finish.count == 1)
        #expect(try stage.subscriptions(of: "alice") == ["1"])
    }

    @Test func `that Apple refuses does not stop the questions about the app receipt`() async throws {
        let stage = try Stage()
        let root = try ConfiguredRoot(file: ReceiptSigner.standard.rootCertificate)
        try stage.reopen { $0.trust.configuredRoots.append(root) }
        let rows = [
            ReceiptAttribute(.transactionId, .text("1")), ReceiptAttribute(.originalTransactionId, .text("1")),
            ReceiptAttribute(.productId, .text("pro")), ReceiptAttribute(.productType, .integer(3)),
            ReceiptAttribute(.purchaseDate, .text(Self.start.iso8601)),
            ReceiptAttribute(.expiresDate, .text(Self.end.iso8601)),
        ]
        let attributes = [
            ReceiptAttribute(.receiptType, .text("Production")),
            ReceiptAttribute(.bundleId, .text(SampleArtifact.bundleId)),
            ReceiptAttribute(.receiptCreationDate, .text(Self.start.iso8601)),
        ]
        let receipt = Base64.encode(
            try ReceiptSigner.standard.sign(AppReceipt(attributes: attributes, inApp: [rows])))
        #expect(try await stage.post(receipt).finish.count == 1)
        #expect(try await stage.post(Self.receipt()).isEverythingRefused)
        #expect(try await stage.poll(#"{"status":21003}"#).failed == 1)
        stage.ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Instant.millisecondsPerMinute)
        _ = try await stage.poll(#"{"status":21005}"#)
        #expect(stage.asked.map(\.receipt) == [Self.receipt(), receipt])
    }

    @Test func `from the public key of an app is not asked about`() async throws {
        let stage = try Stage()
        let answer = try await stage.post(Self.receipt(), by: .app)
        #expect(answer.refused.map(\.advice) == ["refreshReceiptOnce"])
        #expect(try stage.kinds().isEmpty)
        #expect(try await stage.poll(Self.answer()) == Poller.Counts())
    }

    @Test func `of the sandbox that does not say so belongs to the sandbox`() async throws {
        let stage = try Stage()
        _ = try await stage.post(Self.receipt())
        #expect(try await stage.poll(Self.answer(), in: .sandbox).polled == 1)
        #expect(stage.asked.map(\.environment) == [.production])
        #expect(try await stage.post(Self.receipt()).finish.count == 1)
        #expect(try stage.subscriptions(of: "alice") == [])
        #expect(try stage.subscriptions(of: "alice", in: .sandbox) == ["1"])
        // The receipt now also serves to ask about the sandbox.
        stage.ledger.clock.now = Self.end.advanced(byMilliseconds: 10 * Instant.millisecondsPerMinute)
        _ = try await stage.poll(Self.answer(), in: .sandbox)
        #expect(stage.asked.map(\.environment) == [.production, .sandbox])
    }

    @Test func `of an expired subscription is answered with status 21006`() async throws {
        let stage = try Stage()
        stage.ledger.clock.now = Self.end.advanced(byMilliseconds: Instant.millisecondsPerDay)
        _ = try await stage.post(Self.receipt())
        #expect(try await stage.poll(Self.answer(status: 21_006)).changed == 1)
        _ = try await stage.post(Self.receipt())
        #expect(try stage.subscriptions(of: "alice") == ["1"])
    }

    @Test func `is not verified by an answer about another one`() async throws {
        let stage = try Stage()
        _ = try await stage.post(Self.receipt())
        #expect(try await stage.poll(Self.answer(to: "12")).failed == 1)
        #expect(try await stage.post(Self.receipt()).isEverythingRefused)
        #expect(try stage.kinds() == [.transactionReceiptReceived])
    }

    @Test(arguments: [
        ("of an app that is not configured", receipt(bundleId: "com.example.other")),
        ("without its ids", receipt("", original: "")),
        ("of an environment that nobody knows", receipt(environment: "Moon")),
        ("with ids longer than an event", receipt(String(repeating: "1", count: 5_000))),
    ])
    func `is quarantined when it is`(_ title: String, _ receipt: String) async throws {
        let stage = try Stage()
        let answer = try await stage.post(receipt)
        #expect(answer.refused.map(\.code) == ["needs_verify_receipt"], "\(title)")
        #expect(answer.refused.map(\.advice) == ["refreshReceiptOnce"], "\(title)")
        #expect(try stage.kinds().isEmpty, "\(title)")
        #expect(try stage.ledger.ledger.quarantine.size().items == 1, "\(title)")
    }

    @Test func `keeps its evidence, and survives an audit and a rebuild of the facts`() async throws {
        let stage = try Stage()
        _ = try await stage.post(Self.receipt())
        _ = try await stage.poll(Self.answer())
        let evidence = try #require(try stage.ledger.ledger.reader.evidence(at: 0))
        #expect(Base64.encode(evidence.bytes) == Self.receipt())
        stage.poller = nil
        stage.ledger.close()
        var options = LedgerAudit.Options()
        options.deep = true
        let configuration = Ledger.Configuration(folder: stage.ledger.folder) { .latest }
        let report = try await LedgerAudit(configuration, options).run { _ in }
        #expect(report.firstBad == nil)
    }
}
