import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// The state of a subscription, in the format of the command `state`.
struct SubscriptionRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}"
    let access = Access.customers
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.answer(from: context) { query, question in
            let answer = try context.reader.state(of: SubscriptionSelector(call, query), question)
            if query.isAboutNow { context.noteVisit(to: answer?.subscriptions.lazy.map(\.id)) }
            return answer
        }
    }
}

extension SubscriptionSelector {
    init(_ call: RouteRequest, _ query: Query) throws(Problem) {
        self.init(
            originalTransactionId: try call.pathParameter("originalTransactionId"),
            environment: try query.environment(), bundleId: query.text("bundleId"))
        limits = call.limits
    }
}
