import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Accepts signed transactions from a device or a backend, and links them to their customer.
struct TransactionsRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/transactions"
    let access = Access.posting
    let heedsKeyLimits = true
    let customerTokens: CustomerTokens
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let limit = call.role == .app ? ServerLimits.appPostingBytes : ServerLimits.postingBytes
        var posting = try TransactionPosting(body: try await call.json(upTo: limit).root)
        let scope = try Query(of: call, names: Query.scopeNames).scope(of: call)
        if let token = posting.customerToken {
            posting.customerId = try customerTokens.customerId(in: token, now: context.now)
            posting.isVouchedFor = true
        }
        let answer = try await context.ledger.post(posting, by: call.caller, scope: scope)
        for refused in answer.refused { context.metrics.refusals.increment(refused.code) }
        let size = try answer.customer?.knownAt ?? context.reader.knownSize(nil)
        return .json(answer.json, size: size, status: answer.isEverythingRefused ? .forbidden : .ok)
    }
}
