import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// What events changed in the states of subscriptions, under the cursor of the events.
struct TransitionsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/transitions"
    let access = Access.feeds
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let ledger = served.ledger
        return try await EventFeed(path: template, log: ledger.log, followers: served.followers) { position in
            try ledger.stateChanges(at: position)
        }
        .respond(to: call)
    }
}
