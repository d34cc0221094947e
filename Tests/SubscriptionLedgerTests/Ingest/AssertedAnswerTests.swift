import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
import LedgerAPI
import LedgerModel
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
}
