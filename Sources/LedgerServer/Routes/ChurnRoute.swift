import Churn
import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// Departures and their reasons: `GET /v1/churn`.
struct ChurnRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/churn"
    let access = Access.analyses
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.analysis(from: context, parameters: ["segment", "curve", "funnel"]) { query, analysis in
            let reader = context.reader
            if try query.flag("curve") { return try reader.recoveryCurve(analysis) }
            if try query.flag("funnel") { return try reader.offerFunnel(analysis) }
            guard let name = query.text("segment") else { return try reader.churnCounts(analysis) }
            let segment = try ChurnSegment(named: name)
            if query.text("by") == nil { return try reader.churn(segment, analysis) }
            guard segment == .inRetry else {
                throw Problem.parameter("by", expected: "no calendar, or segment=inRetry", found: name)
            }
            return try reader.retryCounts(analysis)
        }
    }
}
