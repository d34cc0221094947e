import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// The state of a customer, by id or handle. An unused id gives a customer without purchases.
struct CustomerRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}"
    let access = Access.customers
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.answer(from: context) { query, question in
            let answer = try context.reader.customer(
                try call.pathParameter("id"), question, scope: try query.scope(of: call))
            if query.isAboutNow { context.noteVisit(to: answer.subscriptions.lazy.map(\.id)) }
            return answer
        }
    }
}
