import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The history of a customer's subscriptions; answers like the command `history`.
struct CustomerHistoryRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}/history"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        try await call.answer(from: served, parameters: ["explain"]) { query, question in
            try served.ledger.history(
                ofCustomer: try call.pathParameter("id"), question, scope: try query.scope(of: call),
                explained: try query.flag("explain"))
        }
    }
}
