import HTTPTypes
import Hummingbird
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Says who an anonymous customer is.
struct IdentifyRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/customers/{id}/identify"
    let access = Access.identifying
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.identifyBytes).root
        guard let handle = body["handle"]?.string else {
            throw Problem(
                .badRequest, "posting_malformed", "the body names no customer",
                expected: "{\"handle\": …} of an anonymous customer", found: "another JSON text")
        }
        let id = try call.pathParameter("id")
        return .json(try await served.ledger.identify(id, handle: handle, isAdmin: call.role == .admin))
    }
}
