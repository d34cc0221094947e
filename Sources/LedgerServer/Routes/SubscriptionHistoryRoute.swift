import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// How a subscription came to be what it is, as the command `history` answers.
struct SubscriptionHistoryRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}/history"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let query = try Query(of: call, names: SubscriptionSelector.names + Query.questionNames + ["explain"])
        let selector = try SubscriptionSelector(call, query)
        let question = try await query.question(served)
        let answer = try served.ledger.history(of: selector, question, explained: try query.flag("explain"))
        guard let answer else { throw Problem.unknownSubscription }
        return .json(answer.json, size: answer.knownAt)
    }
}
