import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// What a customer may use and owns. An id that nobody has used is a customer to whom everything is new.
struct CustomerRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}"
    let access = Access.customers
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let question = try Query(of: call, names: Query.questionNames).question(now: served.now)
        return .json(try served.ledger.customer(try call.pathParameter("id"), question))
    }
}
