import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The history of a customer's subscriptions, in the format of the command `history`.
struct CustomerHistoryRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}/history"
    let access = Access.customers
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.answer(from: context, parameters: ["explain"]) { query, question in
            try context.reader.history(
                ofCustomer: try call.pathParameter("id"), question, scope: try query.scope(of: call),
                explained: try query.flag("explain"))
        }
    }
}
