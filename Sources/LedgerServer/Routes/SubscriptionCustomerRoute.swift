import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The customer who owns a subscription, by an external id, or by the handle of an anonymous customer.
struct SubscriptionCustomerRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}/customer"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        try await call.answer(from: served) { query, question in
            try served.ledger.customer(
                owning: try call.pathParameter("originalTransactionId"), question, scope: try query.scope(of: call))
        }
    }
}
