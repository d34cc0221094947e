import Hummingbird
import LedgerAPI
import PaidService
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

    /// Returns the answer to a question about all subscriptions, after the ledger has reached the position `atLeast`.
    ///
    /// - Parameter parameters: query parameters that are accepted besides those of scopes, questions and analyses.
    /// - Throws: `parameter_invalid`; `definition_unknown`; `position_unknown` (503) when waiting takes too long; errors
    ///   of `body`.
    func analysis(
        from context: RouteContext, parameters: [String],
        _ body: @escaping @Sendable (Query, AnalysisQuery) throws -> any LedgerAnswer
    ) async throws -> Response {
        let query = try Query(
            of: self, names: Query.scopeNames + Query.questionNames + Query.analysisNames + parameters)
        let question = try await query.question(context)
        let analysis = try query.analysis(question, scope: query.scope(of: self))
        return .json(try await BlockingWork.run { try body(query, analysis) })
    }
}

extension Query {
    /// - Throws: `parameter_invalid` for a parameter that would change nothing beside another one.
    func refuse(_ names: [String], with other: String) throws(Problem) {
        for name in names {
            if let text = text(name) { throw .parameter(name, expected: "no \(name) beside \(other)", found: text) }
        }
    }

    fileprivate static let analysisNames = ["by", "zone"]

    fileprivate func analysis(_ question: AsOfQuery, scope: CustomerScope) throws -> AnalysisQuery {
        var query = AnalysisQuery(question, scope: scope)
        if let by = text("by") { query.interval = try BucketCalendar.Interval(named: by) }
        if let cut = text("cut") { query.cuts = try PurchaseCut.list(cut) }
        query.zone = text("zone")
        query.rowLimit = ServerLimits.rowsInList
        return query
    }
}

extension Problem {
    fileprivate static let unknownSubscription = Problem(
        .notFound, "subscription_unknown", "subscription not found",
        expected: "a known originalTransactionId", found: "an unknown originalTransactionId")
}
