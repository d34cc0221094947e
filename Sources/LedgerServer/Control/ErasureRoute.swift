import HTTPTypes
import Hummingbird
import LedgerAPI
import NIOCore
import Primitives
import SubscriptionLedger

/// Erases a customer on behalf of a command. The response has a line after each part of the work, and ends with the
/// answer, or with a problem.
struct ErasureRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/customers/{id}/erase"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = try await call.json(upTo: ServerLimits.customerChangeBytes).root
        let request = try ErasureRequest(id: try call.pathParameter("id"), body: body)
        let ledger = context.ledger
        return Response(
            status: .ok, headers: EventFeed.pageHeaders,
            body: ResponseBody { writer in
                do {
                    let (shares, progress) = AsyncStream.makeStream(
                        of: Double.self, bufferingPolicy: .bufferingNewest(1))
                    async let answer = Self.erase(request, ledger, progress)
                    for await share in shares {
                        try await writer.write(ByteBuffer(line: ReconcileRequest.progress(share)))
                    }
                    try await writer.write(ByteBuffer(line: try await answer.json))
                } catch {
                    try await writer.write(ByteBuffer(line: Problem(forOperator: error).json))
                }
                try await writer.finish(nil)
            })
    }

    private static func erase(
        _ request: ErasureRequest, _ ledger: LedgerWriter, _ progress: AsyncStream<Double>.Continuation
    ) async throws -> ErasureAnswer {
        defer { progress.finish() }
        return try await ledger.erase(
            request.id, withEvidence: request.withEvidence, by: .admin, source: .operator
        ) { progress.yield($0) }
    }
}
