import HTTPTypes
import Hummingbird
import LedgerAPI
import SubscriptionLedger

/// All that is held on a customer, to be handed to the person.
struct ReportRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/customers/{id}/report"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        _ = try Query(of: call, names: [])
        let (reader, id) = (context.reader, try call.pathParameter("id"))
        return .json(try await BlockingWork.run { try reader.report(on: id).json })
    }
}
