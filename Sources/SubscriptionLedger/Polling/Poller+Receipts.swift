import AppStoreClient
import AppStoreModel
import DuePolls
import Ingestion
import LedgerModel
import Primitives

extension Poller {
    /// Asks verifyReceipt. Returns whether it answered the question.
    ///
    /// Whether it answers or not, the call is noted: Apple may be unable to answer now, or the receipt may be of no use.
    func ask(
        _ connection: VerifyReceiptConnection, _ token: ReceiptToken, _ call: Call,
        _ attempt: inout PollStore.Attempt
    ) async throws -> Bool {
        let receipt = try ledger.reader.receipt(token)
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
}
