import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import Ingestion
import LedgerModel
import Primitives

/// A receipt of iOS 6, ready to be appended.
struct CheckedTransactionReceipt: Sendable {
    let event: PreparedEvent
    let key: SubscriptionKey
    let transactionId: String
    /// Whether Apple has answered for exactly this receipt. It counts like an app receipt from then on.
    let isVerified: Bool
}

extension LedgerWriter {
    /// Prepares the event of an artifact that was refused because only Apple can verify it.
    /// - Returns: nil for another refusal, and for a receipt that Apple cannot be asked about.
    func transactionReceipt(
        _ artifact: [UInt8], _ refusal: Refusal, source: EventSource, with ingestion: Ingestion? = nil
    ) -> CheckedTransactionReceipt? {
        let (ingestion, now) = (ingestion ?? self.ingestion, configuration.clock())
        guard refusal.code == .needsVerifyReceipt,
            let stated = ingestion.draft(ofTransactionReceipt: artifact, from: source, now: now)
        else { return nil }
        // Without the answer, the receipt stays a token. It can be posted again.
        let found = try? reader.environment(ofAnswerTo: stated)
        let receipt =
            found.flatMap { ingestion.draft(ofTransactionReceipt: artifact, foundIn: $0, from: source, now: now) }
        return CheckedTransactionReceipt(
            event: log.prepare((receipt ?? stated).draft), key: (receipt ?? stated).key,
            transactionId: stated.transactionId, isVerified: receipt != nil)
    }

    /// Returns a refused artifact. A receipt that Apple can be asked about is appended all the same.
    func refused(
        _ refusal: Refusal, _ artifact: [UInt8], source: EventSource, with ingestion: Ingestion? = nil
    ) -> CheckedArtifact {
        guard let receipt = transactionReceipt(artifact, refusal, source: source, with: ingestion) else {
            return .refused(refusal, artifact: artifact)
        }
        return receipt.isVerified ? .accepted(receipt.event) : .token(receipt.event, refusal)
    }
}

extension LedgerReader {
    /// Returns the environment in which Apple answered for a receipt; nil before it did.
    fileprivate func environment(ofAnswerTo receipt: TransactionReceiptDraft) throws -> Environment? {
        for environment in [Environment.production, .sandbox] {
            let key = SubscriptionKey(
                environment: environment, bundle: receipt.key.bundle,
                originalTransaction: receipt.key.originalTransaction)
            let timeline = try facts.timelines(around: key, knownAt: .max)[key] ?? Timeline()
            let answers = timeline.transactions.map(\.source).filter {
                $0.rank == .receiptInApp || $0.rank == .verifyReceiptLatest
            }
            for position in Set(answers.map(\.position)).sorted(by: >)
            where try log.record(at: position).flatMap(VerifyReceiptQuestion.init(askedIn:))?.receipt == receipt.digest
            {
                return environment
            }
        }
        return nil
    }
}
