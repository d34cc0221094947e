import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `An answer of verifyReceipt in a file` {
    private static let begin: Int64 = 1_768_000_000_000

    /// A renewal of a subscription that began before the rows of the answer.
    private static func row(_ number: Int, original: String = "1") -> String {
        """
        {"transaction_id":"\(number + 100)","original_transaction_id":"\(original)","product_id":"pro",\
        "purchase_date_ms":"\(begin + Int64(number))","expires_date_ms":"\(begin + 2_000_000_000)"}
        """
    }

    private static func answer(
        _ rows: [String], bundleId: String = Purchase.bundleId, environment: String = "Production"
    ) -> [UInt8] {
        Array(
            """
            {"status":0,"environment":"\(environment)","receipt":{"bundle_id":"\(bundleId)",\
            "receipt_creation_date_ms":"\(begin + 1_000)","request_date_ms":"\(begin + 1_000)","in_app":[]},\
            "latest_receipt_info":[\(rows.joined(separator: ","))]}
            """.utf8)
    }

    private static func ingest(
        _ answer: [UInt8], _ ledger: LedgerWriter
    ) async throws -> IngestOutcome {
        let content = FoundArtifact.Content(artifact: answer, unsigned: .assertedAnswer)
        return try await ledger.append([await ledger.check(content, source: .file)], source: .file)[0]
    }

    @Test(
        arguments: [
            ("of the newest purchase alone", [row(1)], true), ("of several purchases", [row(1), row(2)], false),
            ("of a hundred purchases", (0..<100).map { row($0) }, true),
            ("of a hundred rows, one of them twice", (0..<99).map { row($0) } + [row(7)], true),
            ("with a row that cannot be read", [row(1), row(2), "{}"], true),
        ] as [(String, [String], Bool)])
    func `knows whether purchases are missing`(
        _ title: String, _ rows: [String], _ isIncomplete: Bool
    ) async throws {
        let shop = try TestLedger()
        guard case .appended = try await Self.ingest(Self.answer(rows), shop.ledger) else {
            Issue.record("refused: \(title)")
            return
        }
        let row = try shop.reader.state(
            of: SubscriptionSelector(originalTransactionId: "1"), AsOfQuery(asOf: TestLedger.now)
        )?.subscriptions.first
        #expect(row?.historyIncomplete == isIncomplete, "\(title)")
    }

    @Test(arguments: [
        ("of an environment that nobody knows", answer([row(1)], environment: "Moon"), "claim_missing"),
        (
            "with an endless bundle id", answer([row(1)], bundleId: String(repeating: "a", count: 5_000)),
            "claim_malformed"
        ),
    ])
    func `is refused when it is`(_ title: String, _ answer: [UInt8], _ code: String) async throws {
        let scratch = try ScratchLedger(trust: TrustPolicy(environments: [.production]))
        guard case .refused(let refusal, _) = try await Self.ingest(answer, scratch.ledger) else {
            Issue.record("accepted: \(title)")
            return
        }
        #expect(refusal.code.rawValue == code, "\(title)")
    }

    @Test(arguments: [21_000, 21_002, 21_003, 21_005, 21_007, 21_008, 21_010, 21_199])
    func `is refused for good with a status that states no purchases`(_ status: Int) async throws {
        let answers = [
            Array(#"{"status":\#(status)}"#.utf8),
            Array(
                String(decoding: Self.answer([Self.row(1)]), as: UTF8.self).replacing(
                    #""status":0"#, with: #""status":\#(status)"#
                ).replacing(#""environment":"Production","#, with: "").utf8),
        ]
        let scratch = try ScratchLedger(trust: TrustPolicy(environments: [.production]))
        for answer in answers {
            guard case .refused(let refusal, quarantined: false) = try await Self.ingest(answer, scratch.ledger) else {
                Issue.record("appended or quarantined")
                return
            }
            #expect(refusal.code == .claimMissing && refusal.reason == "the answer states no purchases")
            #expect(refusal.expected == "status 0 or 21006" && refusal.found == "status \(status)")
        }
        #expect(try scratch.size == 0 && scratch.ledger.quarantine.size().items == 0)
    }

    @Test func `without an environment is refused with the option that names it`() async throws {
        let answer = String(decoding: Self.answer([Self.row(1)]), as: UTF8.self)
            .replacing(#""environment":"Production","#, with: "")
        let several = try ScratchLedger(trust: TrustPolicy(environments: [.production, .sandbox]))
        let refusal = try await Self.ingest(Array(answer.utf8), several.ledger).refusal
        #expect(refusal?.code == .claimMissing && refusal?.hint == "Name it with --environment.")
        let one = try ScratchLedger(trust: TrustPolicy(environments: [.production]))
        #expect(try await Self.ingest(Array(answer.utf8), one.ledger).refusal == nil)
    }

    @Test func `in quarantine is read as an answer, and counts if an operator vouches for it`() async throws {
        let answer = Self.answer([Self.row(1)])
        let other = TrustPolicy(apps: [TrustPolicy.App(bundleId: "com.example.other")])
        let scratch = try ScratchLedger(trust: other)
        #expect(try await Self.ingest(answer, scratch.ledger).refusal?.code == .answerMismatch)
        scratch.close()
        try scratch.open(trust: TrustPolicy(apps: [TrustPolicy.App(bundleId: Purchase.bundleId)]))
        let digest = try #require(try Quarantine.digests(in: scratch.folder.quarantine).first)
        let item = try #require(try Quarantine.item(digest, in: scratch.folder.quarantine))
        func retry(isTrusted: Bool) async throws -> IngestOutcome {
            // A service reads it from the command in this form.
            let line = FoundArtifact(item, isTrusted: isTrusted).json.serialized()
            let content = try FoundArtifact(JSONDocument(parsing: Array(line.utf8)).root).content.get()
            return try await scratch.ledger.append([await scratch.ledger.check(content, source: .file)], source: .file)[
                0]
        }
        guard case .refused(let refusal, quarantined: true) = try await retry(isTrusted: false) else {
            Issue.record("appended, or no longer in quarantine")
            return
        }
        #expect(refusal.code == .channelNotAuthenticated && refusal.hint?.contains("--trust-files") == true)
        guard case .appended(let result) = try await retry(isTrusted: true) else {
            Issue.record("refused")
            return
        }
        #expect(try scratch.ledger.reader.log.record(at: result.position)?.trust == .asserted)
    }
}
