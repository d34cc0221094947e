import AppStoreModel
import LedgerModel
import Primitives
import Testing

/// The observations of an answer of verifyReceipt.
struct `An answer of verifyReceipt` {
    private static let created: Int64 = 1_768_000_000_000
    private static let asked = created + 86_400_000

    /// The observations of an answer about a subscription that is spoken of, one that is not, and a non-consumable.
    private static func observations() throws -> [KeyedObservation] {
        func row(_ id: String, _ members: String = "") -> String {
            #"{"transaction_id":"\#(id)1","original_transaction_id":"\#(id)","product_id":"p\#(id)","purchase_date_ms":"1"\#(members)}"#
        }
        let end = #","expires_date_ms":"2000000000000""#
        let text = """
            {"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app",\
            "receipt_creation_date_ms":"\(created)","request_date_ms":"\(asked)","in_app":[\(row("1", end))]},\
            "latest_receipt_info":[\(row("1", end)),\(row("2", end)),\(row("3"))],\
            "pending_renewal_info":[{"original_transaction_id":"1","product_id":"p1","auto_renew_status":"1"}]}
            """
        let answer = try #require(VerifyReceiptAnswer(try JSONDocument(parsing: Array(text.utf8)).root))
        let answered = AnsweredReceipt(
            answer, digest: .sha256(of: text.utf8), environment: .production, bundleId: "com.example.app",
            receivedAt: Instant(milliseconds: asked + 1), excludesOldTransactions: false)
        return Translation(position: 0, recordedAt: Instant(milliseconds: asked + 1)).answer(answered)
    }

    @Test func `its newest rows are as of the answer, those of the receipt as of the receipt`() throws {
        let times = try Self.observations().compactMap { keyed -> (SourceRank, Int64)? in
            guard case .transaction = keyed.observation.fact else { return nil }
            return (keyed.observation.source.rank, keyed.observation.source.time.milliseconds)
        }
        #expect(times.filter { $0.0 == .verifyReceiptLatest }.map(\.1) == [Self.asked, Self.asked, Self.asked])
        #expect(times.filter { $0.0 == .receiptInApp }.map(\.1) == [Self.created])
    }

    @Test func `only a subscription that it does not speak of has nothing left to renew`() throws {
        let removed = try Self.observations().compactMap { keyed -> String? in
            guard case .subscription(let key) = keyed.key, case .renewal(let fact) = keyed.observation.fact,
                fact.isRemoved
            else { return nil }
            return key.originalTransactionId
        }
        #expect(removed == ["2"])
    }
}
