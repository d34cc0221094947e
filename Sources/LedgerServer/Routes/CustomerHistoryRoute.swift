import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// The changes of a customer's subscriptions, as the command `history` prints them.
struct CustomerHistoryRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}/history"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let query = try Query(of: call, names: Query.scopeNames + Query.questionNames + ["explain"])
        let scope = try query.scope(of: call)
        let question = try await query.question(served)
        let answer = try served.ledger.history(
            ofCustomer: try call.pathParameter("id"), question, scope: scope, explained: try query.flag("explain"))
        return .json(answer.json, size: answer.knownAt)
    }
}
