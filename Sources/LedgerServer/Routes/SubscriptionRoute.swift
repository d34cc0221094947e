import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The state of a subscription; answers like the command `state`.
struct SubscriptionRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        try await call.answer(from: served) { query, question in
            try served.ledger.state(of: SubscriptionSelector(call, query), question)
        }
    }
}

extension SubscriptionSelector {
    init(_ call: Call, _ query: Query) throws(Problem) {
        self.init(
            originalTransactionId: try call.pathParameter("originalTransactionId"),
            environment: try query.environment(), bundleId: query.text("bundleId"))
        limits = call.limits
    }
}
