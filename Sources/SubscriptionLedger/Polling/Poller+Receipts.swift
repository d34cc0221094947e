import AppStoreClient
import AppStoreModel
import AppStoreVerification
import DuePolls
import Ingestion
import LedgerModel
import LedgerStorage
import Primitives

extension Poller {
    /// Asks verifyReceipt. Returns whether it answered the question.
    ///
    /// Whether it answers or not, the call is noted: Apple may be unable to answer now, or the receipt may be of no use.
    func ask(
        _ connection: VerifyReceiptConnection, _ token: ReceiptToken, _ call: Call,
        _ attempt: inout PollStore.Attempt
    ) async throws -> Bool {
        guard let receipt = try storedReceipt(token) else {
            attempt.receipt = ReceiptAttempt(.refused, after: nil, of: token.content, at: now)
            return false
        }
        let request = VerifyReceiptRequest(
            receipt: receipt.text, environment: call.key.environment,
            excludesOldTransactions: call.question == .statuses)
        let reply = try await connection.call(request)
        let question = VerifyReceiptQuestion(
            bundleId: call.key.bundleId, environment: reply.environment, receipt: token.content,
            excludesOldTransactions: request.excludesOldTransactions, receivedAt: reply.date ?? now)
        let outcome = try await ledger.record(
            reply.bytes, to: question, sent: receipt.content, tokenOf: call.key, source: .poll)
        guard reply.outcome == .answered, case .recorded = outcome else {
            attempt.receipt = ReceiptAttempt(
                reply.outcome, after: call.account.attempt.receipt, of: token.content, at: now)
            return false
        }
        attempt.receipt = ReceiptAttempt(answeredAt: now)
        attempt.answeredAt = now
        if call.question == .history { attempt.historyAt = now }
        return true
    }

    /// Returns a receipt; nil when its event is damaged or erased, so that the questions about other accounts go on.
    private func storedReceipt(_ token: ReceiptToken) throws -> (text: String, content: ReceiptContent)? {
        do {
            return try ledger.reader.receipt(token)
        } catch let error as StorageError where error.code == .logCorrupt {
            return nil
        } catch is ErasedEvidenceError {
            return nil
        }
    }
}
