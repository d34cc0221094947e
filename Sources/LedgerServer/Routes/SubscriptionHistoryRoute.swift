import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The history of a subscription; answers like the command `history`.
struct SubscriptionHistoryRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}/history"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        try await call.answer(from: served, parameters: ["explain"]) { query, question in
            try served.ledger.history(
                of: SubscriptionSelector(call, query), question, explained: try query.flag("explain"))
        }
    }
}
