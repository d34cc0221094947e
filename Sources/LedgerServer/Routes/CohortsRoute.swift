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
            guard let name = CohortCellName(cell) else {
                throw Problem.parameter("cell", expected: CohortCellName.form, found: cell)
            }
            return try context.reader.members(ofCell: name.k, ofCohort: name.cohort, analysis)
        }
    }
}
