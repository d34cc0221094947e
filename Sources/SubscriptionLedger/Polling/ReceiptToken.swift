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
    /// The SHA-256 of the signed content of an app receipt, or of a receipt of iOS 6.
    let content: Digest
    /// Whether only verifyReceipt can answer: for a receipt of iOS 6 about which Apple said nothing yet.
    let needsAnswer: Bool

    private init(_ source: Source, needsAnswer: Bool) {
        (position, content, self.needsAnswer) = (source.position, source.name.digest, needsAnswer)
    }
}

extension ReceiptToken {
    /// Creates the token of an account; nil when no receipt of it is known. A receipt of iOS 6 that Apple has to verify
    /// comes first, then app receipts, then the newest receipt of iOS 6.
    /// - Parameter attempt: the earlier questions about the account. A receipt that Apple refused is no token.
    init?(of timelines: [SubscriptionKey: Timeline], after attempt: PollStore.Attempt) {
        let newest = timelines.values.flatMap(\.transactionReceipts)
            .filter { $0.name.digest != attempt.receipt?.retired }.max { $0.position < $1.position }
        let needsAnswer = newest.map { $0.recordedAt > attempt.answeredAt ?? .earliest } ?? false
        let receipt = Self.appReceipt(of: timelines).flatMap { $0.name.digest == attempt.receipt?.retired ? nil : $0 }
        guard let source = needsAnswer ? newest : receipt ?? newest else { return nil }
        self.init(source, needsAnswer: needsAnswer)
    }

    /// Returns the app receipt of an account; nil when none is known.
    ///
    /// A newer receipt takes the place of an older one only if it states every subscription that the older one states:
    /// Apple sometimes returns empty receipts.
    private static func appReceipt(of timelines: [SubscriptionKey: Timeline]) -> Source? {
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
        return kept.source
    }
}

extension LedgerReader {
    /// Returns a receipt in base64, and its content.
    /// - Throws: `log_corrupt` when the event at the position has none; `ErasedEvidenceError`.
    func receipt(_ token: ReceiptToken) throws -> (text: String, content: ReceiptContent) {
        guard let record = try log.record(at: token.position),
            let evidence = try self.evidence(at: token.position)?.bytes,
            let receipt = try Self.receipt(in: record, evidence)
        else {
            throw StorageError(
                .logCorrupt, "no receipt at position \(token.position)", expected: "a receipt", found: "none",
                hint: "Run `subledger audit verify --deep`.")
        }
        return receipt
    }

    private static func receipt(
        in record: Record, _ evidence: [UInt8]
    ) throws -> (text: String, content: ReceiptContent)? {
        if let stored = try TransactionReceiptEvents.stored(record, evidence) {
            return (Base64.encode(evidence), .transaction(stored.receipt))
        }
        if record.artifact == .receipt { return (Base64.encode(evidence), try ReceiptContent(evidence)) }
        let carried =
            try VerifyReceiptEvents.stored(record, evidence)?.acceptedReceipt
            ?? NotificationV1Events.stored(record, evidence)?.acceptedReceipt
        return try carried.map { (String(decoding: $0, as: UTF8.self), try ReceiptContent($0)) }
    }
}
