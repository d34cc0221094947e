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
        try await call.analysis(from: context, parameters: ["segment", "curve", "funnel", "cut"]) { query, analysis in
            let reader = context.reader
            if try query.flag("curve") {
                try query.refuse(["segment", "funnel", "cut", "by", "zone"], with: "curve")
                return try reader.recoveryCurve(analysis)
            }
            if try query.flag("funnel") {
                try query.refuse(["segment"], with: "funnel")
                return try reader.offerFunnel(analysis, byCalendar: query.text("by") != nil)
            }
            try query.refuse(["cut"], with: query.text("segment") == nil ? "counts of departures" : "segment")
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
