import Hummingbird
import LedgerAPI
import SubscriptionLedger

extension Call {
    /// Answers a question to the ledger, after it has reached the position `atLeast`.
    ///
    /// - Parameters:
    ///   - parameters: names accepted in the query besides those of scopes and questions.
    ///   - body: returns nil for a subscription without an observation.
    /// - Throws: `parameter_invalid`; `position_unknown` (503) when waiting takes too long; `subscription_unknown`;
    ///   errors of `body`.
    func answer(
        from served: ServedLedger, parameters: [String] = [],
        _ body: (Query, Question) throws -> (any LedgerAnswer)?
    ) async throws -> Response {
        let query = try Query(of: self, names: Query.scopeNames + Query.questionNames + parameters)
        let question = try await query.question(served)
        guard let answer = try body(query, question) else { throw Problem.unknownSubscription }
        return .json(answer)
    }
}

extension Problem {
    fileprivate static let unknownSubscription = Problem(
        .notFound, "subscription_unknown", "subscription not found",
        expected: "an originalTransactionId that was observed", found: "no observation")
}
