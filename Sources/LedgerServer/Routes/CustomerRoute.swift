import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// The state of a customer. An id that nobody has used is a customer to whom everything is new.
struct CustomerRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let query = try Query(of: call, names: Query.scopeNames + Query.questionNames)
        let scope = try query.scope(of: call)
        let question = try await query.question(served)
        let answer = try served.ledger.customer(try call.pathParameter("id"), question, scope: scope)
        return .json(answer.json, size: answer.knownAt)
    }
}
