import HTTPTypes
import Hummingbird
import Primitives
import SubscriptionLedger

/// The log's events, without their facts.
struct EventsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/events"
    let access = Access.feeds
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let ledger = served.ledger
        return try await EventFeed(path: template, log: ledger.log, followers: served.followers) { position in
            try ledger.event(at: position, facts: false).map { [$0] } ?? []
        }
        .respond(to: call)
    }
}
