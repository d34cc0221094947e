import HTTPTypes
import Hummingbird
import LedgerModel
import SubscriptionLedger

/// Retention by cohort: `GET /v1/cohorts`, and the members of a cell.
struct CohortsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/cohorts"
    let access = Access.analyses
    let heedsKeyLimits = true
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        try await call.analysis(from: context, parameters: ["cut", "definition", "cell"]) { query, analysis in
            var analysis = analysis
            analysis.definition = try query.text("definition").map { try Rules.Retention.Definition(named: $0) }
            guard let cell = query.text("cell") else { return try context.reader.cohorts(analysis) }
            let parts = cell.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2, let k = Int(parts[1]), k >= 0 else {
                throw Problem.parameter("cell", expected: "a cohort and a number, such as 2026-01,3", found: cell)
            }
            return try context.reader.members(ofCell: k, ofCohort: String(parts[0]), analysis)
        }
    }
}
