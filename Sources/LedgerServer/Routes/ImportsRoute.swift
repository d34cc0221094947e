import HTTPTypes
import Hummingbird
import LedgerStorage
import NIOCore
import Primitives
import ServiceLifecycle
import SubscriptionLedger

/// Receives the rows of an import. The response has a line per row, once the rows are durable. Rows that Apple has to be
/// asked about are `waiting`; posting the same rows again tells what became of them.
struct ImportsRoute: Route {
    static let path = "/v1/imports"

    let method = HTTPRequest.Method.post
    var template = Self.path
    let access = Access.importing
    /// Whether the response continues until no row is waiting.
    var isFollowing = false
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let file = try await receive(call)
        return Response(
            status: .ok, headers: EventFeed.pageHeaders,
            body: ResponseBody { writer in
                do {
                    try await report(file, &writer)
                } catch {
                    try await writer.write(ByteBuffer(line: Problem(any: error).json))
                }
                try await writer.finish(nil)
            })
    }

    private func receive(_ call: RouteRequest) async throws -> ImportFile {
        let incoming = try context.importer.incoming(by: call.caller)
        var size = 0
        for try await part in call.request.body {
            size += part.readableBytes
            guard size <= ServerLimits.importBytes else { throw Self.tooLarge }
            try incoming.write(Array(part.readableBytesView))
        }
        return try await context.importer.keep(incoming)
    }

    @concurrent
    private func report(_ file: ImportFile, _ writer: inout any ResponseBodyWriter) async throws {
        if isFollowing {
            try await context.importer.follow(file) { try await writer.write(Self.lines($0)) }
        } else {
            try await context.importer.decide(file) { try await writer.write(Self.lines($0)) }
        }
    }

    private static func lines(_ rows: [ImportLine]) -> ByteBuffer {
        var lines = ByteBuffer()
        for row in rows { lines.writeImmutableBuffer(ByteBuffer(line: row.json)) }
        return lines
    }

    private static var tooLarge: Problem {
        Problem(
            .contentTooLarge, "payload_too_large", "the import is too large",
            expected: "at most \(ServerLimits.importBytes) bytes", found: "more",
            hint: "Split the file. Each part is an import of its own.")
    }
}
