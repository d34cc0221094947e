import AppStoreVerification
import HTTPTypes
import Hummingbird
import Ingestion
import LedgerStorage
import NIOCore
import Primitives
import ServiceLifecycle
import SubscriptionLedger

/// Ingests the artifacts of a command. The first line of the body has the options, each further line an artifact. The
/// response has a line per result, written once it is durable, and ends with a problem if the work stops early.
struct IngestRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/ingest"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = call.request.body
        return Response(
            status: .ok, headers: EventFeed.pageHeaders,
            body: ResponseBody { writer in
                do {
                    try await ingest(body, &writer)
                } catch {
                    try await writer.write(ByteBuffer(line: Problem(forOperator: error).json))
                }
                try await writer.finish(nil)
            })
    }

    @concurrent
    private func ingest(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        var input = body.splitLines(maximumBufferSize: ServerLimits.artifactLineBytes).makeAsyncIterator()
        guard let options = try await input.next() else { return }
        let request = try IngestRequest(Self.json(options))
        let customer = try request.customerId.map { try ExternalCustomerID($0) }
        var pipeline = IngestPipeline(ledger: context.ledger, trust: request.trust, customer: customer)
        while let line = try await input.next() {
            guard !Task.isShuttingDownGracefully else { throw Self.stopping }
            let results = try await pipeline.add(FoundArtifact(Self.json(line)))
            if !results.isEmpty { try await writer.write(lines(of: results)) }
        }
        try await writer.write(lines(of: try await pipeline.finish()))
    }

    private func lines(of results: [IngestPipeline.Result]) -> ByteBuffer {
        var lines = ByteBuffer()
        for result in results {
            if let refusal = result.outcome.refusal { context.metrics.refusals.increment(refusal.code.rawValue) }
            lines.writeImmutableBuffer(ByteBuffer(line: result.json))
        }
        return lines
    }

    private static func json(_ line: ByteBuffer) throws -> JSONView {
        try JSONDocument(parsing: Array(line.readableBytesView)).root
    }

    private static let stopping = StorageError(
        .busy, "the service is stopping", hint: "Run the command again. Artifacts already appended are duplicates.")
}
