import HTTPTypes
import Hummingbird
import LedgerAPI
import NIOCore
import Primitives
import ServiceLifecycle
import SubscriptionLedger

/// Compares Apple's notification history with the log on behalf of a command. The response has a line after each day,
/// and ends with the comparison, or with a problem.
struct ReconcileRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/reconcile"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let request = try ReconcileRequest(try await call.json(upTo: ServerLimits.pollRequestBytes).root)
        guard let polling = context.polling else { throw AppStoreConnections.noKey }
        return Response(
            status: .ok, headers: EventFeed.pageHeaders,
            body: ResponseBody { writer in
                do {
                    let (shares, progress) = AsyncStream.makeStream(
                        of: Double.self, bufferingPolicy: .bufferingNewest(1))
                    async let answer = Self.reconcile(request, polling.reconciler, progress)
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

    private static func reconcile(
        _ request: ReconcileRequest, _ reconciler: Reconciler, _ progress: AsyncStream<Double>.Continuation
    ) async throws -> ReconcileAnswer {
        defer { progress.finish() }
        return try await reconciler.reconcile(since: request.since, until: request.until) { progress.yield($0) }
    }
}
