import HTTPTypes
import Hummingbird
import LedgerAPI
import Primitives
import SubscriptionLedger

/// `POST /v1/customers/{id}/identify|link|merge|unmerge|transfer|grant`. The members of the body correspond to the options of
/// the command. Except for `identify`, only administrators may change ownership.
struct CustomerChangeRoute: Route {
    let method = HTTPRequest.Method.post
    let kind: CustomerChange.Kind
    /// The source of the appended events.
    var source = EventSource.http
    let context: RouteContext

    var template: String { "/v1/customers/{id}/\(kind.rawValue)" }
    var access: Access { kind == .identify ? .identifying : .administration }
    var heedsKeyLimits: Bool { kind == .identify }

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let scope = try Query(of: call, names: Query.scopeNames).scope(of: call)
        let change = try CustomerChange(kind, body: body)
        let answer = try await context.ledger.apply(
            change, to: try call.pathParameter("id"), by: call.caller, scope: scope, source: source)
        return .json(answer)
    }
}
