import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// The log's events without their facts; `type` selects notification types.
struct EventsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/events"
    let access = Access.feeds
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let ledger = served.ledger
        let types = try Query(of: call, names: EventFeed.parameters + ["type"]).words("type")
        var feed = EventFeed(path: template, log: ledger.log, followers: served.followers) { position in
            guard let row = try ledger.event(at: position, facts: false) else { return [] }
            guard let types else { return [row.json] }
            return row.about?.notificationType.map(types.contains) == true ? [row.json] : []
        }
        feed.filters = ["type"]
        return try await feed.respond(to: call)
    }
}
