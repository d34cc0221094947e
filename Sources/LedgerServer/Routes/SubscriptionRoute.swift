import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// What a subscription is, as the command `state` answers.
struct SubscriptionRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let query = try Query(of: call, names: SubscriptionSelector.names + Query.questionNames)
        let selector = try SubscriptionSelector(call, query)
        let question = try await query.question(served)
        guard let answer = try served.ledger.state(of: selector, question) else { throw Problem.unknownSubscription }
        return .json(answer.json, size: answer.knownAt)
    }
}

extension SubscriptionSelector {
    static let names = ["environment", "bundleId"]

    init(_ call: Call, _ query: Query) throws(Problem) {
        self.init(
            originalTransactionId: try call.pathParameter("originalTransactionId"),
            environment: try query.environment(), bundleId: query.text("bundleId"))
        limits = call.limits
    }
}

extension Problem {
    static let unknownSubscription = Problem(
        .notFound, "subscription_unknown", "nothing is known of this subscription",
        expected: "an originalTransactionId that was observed", found: "no observation")
}
