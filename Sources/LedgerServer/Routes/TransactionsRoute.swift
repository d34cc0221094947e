import EventLog
import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Takes signed transactions from a device or a backend, and links them to their customer.
struct TransactionsRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/transactions"
    let access = Access.posting
    let heedsKeyLimits = true
    let customerTokens: CustomerTokens
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let limit = call.role == .app ? ServerLimits.appPostingBytes : ServerLimits.postingBytes
        var posting = try TransactionPosting(body: try await call.json(upTo: limit).root)
        let scope = try Query(of: call, names: Query.scopeNames).scope(of: call)
        if let token = posting.customerToken {
            posting.customerId = try customerTokens.customerId(in: token, now: served.now)
            posting.isVouchedFor = true
        }
        let answer = try await served.ledger.post(posting, by: call.caller, scope: scope)
        for refused in answer.refused { served.metrics.refusals.increment(refused.code) }
        let size = try answer.customer?.knownAt ?? served.ledger.knownSize(nil)
        return .json(answer.json, size: size, status: answer.isEverythingRefused ? .forbidden : .ok)
    }
}
