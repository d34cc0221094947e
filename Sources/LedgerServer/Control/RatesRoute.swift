import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Applies exchange rates for a command. The body has the text of the file, which the service reads again.
struct RatesRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/rates"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let request = try FileRequest(try await call.json(upTo: ServerLimits.yamlFileBytes).root)
        return .json(try await context.ledger.apply(try RatesFile(text: request.text, name: request.file)))
    }
}
