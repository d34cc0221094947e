import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// The customer who owns a subscription. External ids are not shown: the ledger keeps only their codes.
struct SubscriptionCustomerRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/subscriptions/{originalTransactionId}/customer"
    let access = Access.customers
    let heedsKeyLimits = true
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let query = try Query(of: call, names: Query.scopeNames + Query.questionNames)
        let scope = try query.scope(of: call)
        let question = try await query.question(served)
        let id = try call.pathParameter("originalTransactionId")
        guard let answer = try served.ledger.customer(owning: id, question, scope: scope) else {
            throw Problem.unknownSubscription
        }
        return .json(answer.json, size: answer.knownAt)
    }
}
