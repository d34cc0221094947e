import AppStoreModel
import AppStoreVerification
import EventLog
import Ingestion
import LedgerModel
import LedgerStorage
import Primitives

/// The receipt of an account that is sent to verifyReceipt.
struct ReceiptToken: Hashable, Sendable {
    /// The event that contains it.
    let position: Position
    /// The SHA-256 of its signed content.
    let content: Digest
}

extension ReceiptToken {
    /// Creates the token of an account; nil when no receipt of it is known.
    ///
    /// A newer receipt takes the place of an older one only if it states every subscription that the older one states:
    /// Apple sometimes returns empty receipts.
    init?(of timelines: [SubscriptionKey: Timeline]) {
        var receipts: [Digest: (source: Source, keys: Set<SubscriptionKey>)] = [:]
        for (key, timeline) in timelines {
            for transaction in timeline.transactions where transaction.source.rank == .receiptFile {
                let digest = transaction.source.name.digest
                receipts[digest, default: (transaction.source, [])].keys.insert(key)
            }
        }
        let ordered = receipts.values.sorted {
            ($0.source.time, $0.source.name.digest) < ($1.source.time, $1.source.name.digest)
        }
        guard var kept = ordered.first else { return nil }
        for receipt in ordered where receipt.keys.isSuperset(of: kept.keys) { kept = receipt }
        self.init(position: kept.source.position, content: kept.source.name.digest)
    }
}

extension LedgerReader {
    /// Returns a receipt in base64, and its content.
    /// - Throws: `log_corrupt` when the event at the position has none.
    func receipt(_ token: ReceiptToken) throws -> (text: String, content: AppReceipt) {
        guard let record = try log.record(at: token.position), let evidence = try log.evidence(at: token.position),
            let bytes = try Self.receipt(in: record, evidence),
            case .app(let content) = try ReceiptContent(bytes)
        else {
            throw StorageError(
                .logCorrupt, "no receipt at position \(token.position)", expected: "a receipt", found: "none",
                hint: "Run `subledger audit verify --deep`.")
        }
        let isText = bytes.first != 0x30
        return (isText ? String(decoding: bytes, as: UTF8.self) : Base64.encode(bytes), content)
    }

    private static func receipt(in record: Record, _ evidence: [UInt8]) throws -> [UInt8]? {
        if record.artifact == .receipt { return evidence }
        if let stored = try VerifyReceiptEvents.stored(record, evidence) { return stored.acceptedReceipt }
        return try NotificationV1Events.stored(record, evidence)?.acceptedReceipt
    }
}
