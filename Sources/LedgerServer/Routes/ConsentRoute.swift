import HTTPTypes
import Hummingbird
import LedgerAPI
import Primitives
import SubscriptionLedger

/// Records whether a customer consents that Apple learns how much of a purchase they consumed.
struct ConsentRoute: Route {
    let method = HTTPRequest.Method.put
    let template = "/v1/customers/{id}/consumption-consent"
    let access = Access.identifying
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        try body.requireMembers(["consented"])
        guard let consented = body["consented"]?.bool else {
            throw CustomerError.malformed("consented", expected: "true or false", found: "something else")
        }
        return .json(
            try await context.ledger.record(
                consumptionConsent: consented, of: try call.pathParameter("id"), by: call.caller, source: .http
            ).json)
    }
}
