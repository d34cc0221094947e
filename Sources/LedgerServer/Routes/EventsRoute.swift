import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// The events of the log without their facts. `type` filters by notification type, `kind` by the kind of event.
struct EventsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/events"
    let access = Access.feeds
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let ledger = context.reader
        let filters = ["type", "kind"]
        let query = try Query(of: call, names: EventFeed.parameters + filters)
        let types = try query.words("type")
        let kinds = try query.words("kind", known: EventRow.kinds)
        var feed = EventFeed(path: template, ledger: ledger, subscribers: context.subscribers) { position in
            guard let row = try ledger.event(at: position, facts: false) else { return [] }
            guard kinds?.contains(row.kind) ?? true else { return [] }
            guard let types else { return [row.json] }
            return row.about?.notificationType.map(types.contains) == true ? [row.json] : []
        }
        feed.filters = filters
        return try await feed.respond(to: call)
    }
}
