import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// Asks Apple on behalf of a command: about all that is due, or about a subscription.
struct PollRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/poll"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let request = try PollRequest(try await call.json(upTo: ServerLimits.pollRequestBytes).root)
        guard let polling = context.polling else { throw AppStoreConnections.none }
        return .json(try await polling.poller.counts(of: request).json)
    }
}
