import HTTPTypes
import Hummingbird
import LedgerAPI
import Primitives
import SubscriptionLedger

/// Erases a customer. Other requests that write are `busy` meanwhile. The work continues if the client leaves.
struct EraseRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/customers/{id}/erase"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let request = try ErasureRequest(id: try call.pathParameter("id"), body: body)
        let answer = try await context.ledger.erase(
            request.id, withEvidence: request.withEvidence, by: call.caller, source: .http)
        return .json(answer.json)
    }
}
