import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The state of a customer, by id or handle. An unused id is a customer without purchases.
struct CustomerRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        try await call.answer(from: served) { query, question in
            try served.ledger.customer(
                try call.pathParameter("id"), question, scope: try query.scope(of: call))
        }
    }
}
