import Hummingbird
import LedgerAPI
import SubscriptionLedger

extension RouteRequest {
    /// Returns the answer to a question, after the ledger has reached the position `atLeast`.
    ///
    /// - Parameters:
    ///   - parameters: query parameters that are accepted besides those of scopes and questions.
    ///   - body: returns nil for a subscription without an observation.
    /// - Throws: `parameter_invalid`; `position_unknown` (503) when waiting takes too long; `subscription_unknown`;
    ///   errors of `body`.
    func answer(
        from context: RouteContext, parameters: [String] = [],
        _ body: (Query, AsOfQuery) throws -> (any LedgerAnswer)?
    ) async throws -> Response {
        let query = try Query(of: self, names: Query.scopeNames + Query.questionNames + parameters)
        let question = try await query.question(context)
        guard let answer = try body(query, question) else { throw Problem.unknownSubscription }
        return .json(answer)
    }
}

extension Problem {
    fileprivate static let unknownSubscription = Problem(
        .notFound, "subscription_unknown", "subscription not found",
        expected: "a known originalTransactionId", found: "an unknown originalTransactionId")
}
