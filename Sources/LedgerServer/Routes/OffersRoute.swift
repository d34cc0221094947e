import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The introductory offers that a customer may get: `GET /v1/offers?customer=ID&product=P`.
struct OffersRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/offers"
    let access = Access.customers
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.answer(from: context, parameters: ["customer", "product"]) { query, question in
            guard let customer = query.text("customer") else {
                throw Problem.parameter("customer", expected: "the id of a customer", found: "none")
            }
            return try context.reader.offers(
                forCustomer: customer, product: query.text("product"), question, scope: try query.scope(of: call))
        }
    }
}
