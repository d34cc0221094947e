import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The history of a subscription, in the format of the command `history`.
struct SubscriptionHistoryRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}/history"
    let access = Access.customers
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.answer(from: context, parameters: ["explain"]) { query, question in
            try context.reader.history(
                of: SubscriptionSelector(call, query), question, explained: try query.flag("explain"))
        }
    }
}
