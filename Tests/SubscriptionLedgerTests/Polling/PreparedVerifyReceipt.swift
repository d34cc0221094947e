import AppStoreClient
import AppStoreModel
import DuePolls
import Primitives
import SubscriptionLedger
import Synchronization

/// verifyReceipt with one prepared answer.
final class PreparedVerifyReceipt: Sendable {
    private let text = Mutex(#"{"status":21005}"#)
    private let environment = Mutex<Environment?>(nil)
    private let requests = Mutex<[VerifyReceiptRequest]>([])

    var asked: [VerifyReceiptRequest] { requests.withLock { $0 } }

    /// - Parameter environment: the environment that answers; nil for the one that is asked.
    func answer(_ text: String, in environment: Environment? = nil) {
        self.text.withLock { $0 = text }
        self.environment.withLock { $0 = environment }
    }

    func connection(_ app: CallBudget.App, of ledger: FeedLedger) -> VerifyReceiptConnection {
        let clock = ledger.ledger.configuration.clock
        return VerifyReceiptConnection(app, within: SharedBudget(), clock: clock) { request in
            self.requests.withLock { $0.append(request) }
            let bytes = Array(self.text.withLock { $0 }.utf8)
            guard let document = try? JSONDocument(parsing: bytes), let answer = VerifyReceiptAnswer(document.root)
            else { throw ServerAPIFailure.unavailable(found: "no answer") }
            let environment = self.environment.withLock { $0 } ?? request.environment
            return VerifyReceiptReply(answer, bytes, of: environment, date: clock())
        }
    }
}
