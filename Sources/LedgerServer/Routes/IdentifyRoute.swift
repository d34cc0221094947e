import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Says who an anonymous customer is.
struct IdentifyRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/customers/{id}/identify"
    let access = Access.identifying
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let scope = try Query(of: call, names: Query.scopeNames).scope(of: call)
        guard let handle = body["handle"]?.string else {
            throw Problem.malformedChange("{\"handle\": …} of an anonymous customer")
        }
        let merge = body["merge"]
        guard merge.map({ $0.isNull || $0.bool != nil }) ?? true else {
            throw Problem.malformedChange("true or false as merge")
        }
        let answer = try await served.ledger.identify(
            try call.pathParameter("id"), handle: handle, merge: merge?.bool ?? false, by: call.caller, scope: scope)
        return .json(answer.json, size: answer.knownAt)
    }
}

extension Problem {
    static func malformedChange(_ expected: String) -> Problem {
        Problem(
            .badRequest, "posting_malformed", "the body does not say what to change", expected: expected,
            found: "another JSON text")
    }
}
