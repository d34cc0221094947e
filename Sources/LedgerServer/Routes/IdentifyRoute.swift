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
    let served: ServedLedger

    private static let form = "{\"handle\": …, \"merge\"?: true|false}"

    func respond(to call: Call) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let scope = try Query(of: call, names: Query.scopeNames).scope(of: call)
        guard let handle = body["handle"]?.string else {
            throw Problem.malformedChange(Self.form)
        }
        let merge = body["merge"]
        guard merge.map({ $0.isNull || $0.bool != nil }) ?? true else {
            throw Problem.malformedChange(Self.form)
        }
        let answer = try await served.ledger.identify(
            try call.pathParameter("id"), handle: handle, merge: merge?.bool ?? false, by: call.caller, scope: scope)
        return .json(answer)
    }
}

extension Problem {
    static func malformedChange(_ expected: String) -> Problem {
        Problem(
            .badRequest, "posting_malformed", "invalid body", expected: expected, found: "a body of another form")
    }
}
