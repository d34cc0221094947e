import HTTPTypes
import Hummingbird
import NIOCore
import Primitives
import SubscriptionLedger

/// Compares an export of RevenueCat with the ledger on behalf of a command. The response has a line per row, and ends with
/// a problem if the work stops early.
struct RevenueCatRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/control/imports/revenuecat"
    let access = Access.administration
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let body = call.request.body
        return Response(
            status: .ok, headers: EventFeed.pageHeaders,
            body: ResponseBody { writer in
                do {
                    try await compare(body, &writer)
                } catch {
                    try await writer.write(ByteBuffer(line: Problem(forOperator: error).json))
                }
                try await writer.finish(nil)
            })
    }

    @concurrent
    private func compare(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        var comparison = try RevenueCatImport(context.ledger)
        for try await part in body {
            try await writer.write(Self.lines(try await comparison.read(Array(part.readableBytesView))))
        }
        try await writer.write(Self.lines(try await comparison.finish()))
    }

    private static func lines(_ rows: [ComparedRow]) -> ByteBuffer {
        var lines = ByteBuffer()
        for row in rows { lines.writeImmutableBuffer(ByteBuffer(line: row.json)) }
        return lines
    }
}
