import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Applies a catalogue for a command. The body has the text of the file, which the service reads again.
struct CatalogRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/catalog"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let request = try FileRequest(try await call.json(upTo: ServerLimits.yamlFileBytes).root)
        return .json(try await context.ledger.apply(try CatalogFile(text: request.text, name: request.file)))
    }
}
