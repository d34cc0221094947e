import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The customer that owns a subscription, named by an external id or by the handle of an anonymous customer.
struct SubscriptionCustomerRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}/customer"
    let access = Access.customers
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.answer(from: context) { query, question in
            try context.reader.customer(
                owning: try call.pathParameter("originalTransactionId"), question, scope: try query.scope(of: call))
        }
    }
}
