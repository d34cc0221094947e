import HTTPTypes
import Hummingbird
import LedgerAPI
import Primitives
import SubscriptionLedger

/// Stores numbers that a command computed.
struct CloseRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/close"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let numbers = try ClosingNumbers(try await call.json(upTo: ServerLimits.closeBytes).root)
        return .json(try await context.ledger.close(numbers))
    }
}
