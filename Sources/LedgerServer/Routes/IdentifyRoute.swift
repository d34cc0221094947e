import HTTPTypes
import Hummingbird
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Merges an anonymous customer into a known one.
struct IdentifyRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/customers/{id}/identify"
    let access = Access.identifying
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let scope = try Query(of: call, names: Query.scopeNames).scope(of: call)
        try body.requireMembers(["handle", "merge"])
        guard let handle = try body.text(of: "handle") else {
            throw CustomerError.malformed("handle", expected: "the handle of an anonymous customer", found: "none")
        }
        let merge = try body.flag(of: "merge")
        let answer = try await context.ledger.identify(
            try call.pathParameter("id"), handle: handle, merge: merge, by: call.caller, scope: scope)
        return .json(answer)
    }
}
