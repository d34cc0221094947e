import HTTPTypes
import Hummingbird
import LedgerAPI
import Primitives
import SubscriptionLedger

/// Signs an offer for a customer who may get it.
struct OfferSignaturesRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/offer-signatures"
    let access = Access.identifying
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let scope = try Query(of: call, names: ["environment"]).scope(of: call)
        let request = try OfferSignatureRequest(
            body: body, idempotencyKey: call.request.headers[.idempotencyKey])
        return .json(
            try await context.offerSigner.sign(request, by: call.caller, scope: scope, source: .http).json)
    }
}
