import EventLog
import HTTPTypes
import Hummingbird
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// What a device or a backend hands in: signed transactions, and whose they are.
struct TransactionsRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/transactions"
    let access = Access.posting
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let posting = try TransactionPosting(body: try await call.json(upTo: ServerLimits.postingBytes).root)
        let outcome = try await served.ledger.post(posting, by: call.role == .app ? .app : .backend)
        for refused in outcome.refused { served.metrics.refusals.increment(refused.code) }
        return .json(outcome.json, status: outcome.isEverythingRefused ? .forbidden : .ok)
    }
}
