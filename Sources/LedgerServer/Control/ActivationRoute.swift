import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import Primitives
import SubscriptionLedger

/// Activates rules for a command. The body has the text of the rules file, which the service reads again.
struct ActivationRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/rules"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let request = try ActivationRequest(try await call.json(upTo: ServerLimits.yamlFileBytes).root)
        let rules = try Rules(yaml: request.text, file: request.file)
        let (found, isAppended) = try await context.ledger.activate(rules, text: request.text, by: request.by)
        return .json(found.answer(activated: isAppended))
    }
}
