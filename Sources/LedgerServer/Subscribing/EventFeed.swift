import HTTPTypes
import Hummingbird
import NIOCore
import Primitives
import ServiceLifecycle
import SubscriptionLedger

/// A feed of the log's events in order, with the position as cursor. It is read page by page as NDJSON, or streamed as
/// server-sent events.
struct EventFeed: Sendable {
    let path: String
    let ledger: LedgerReader
    let subscribers: Subscribers
    /// The additional parameters that filter rows. With a filter, `limit` counts rows instead of events.
    var filters: [String] = []
    /// Returns the rows of an event; none for most events in some feeds.
    let rows: @Sendable (_ position: UInt64) throws -> [JSONValue]

    static let parameters = ["after", "limit"]

    func respond(to call: RouteRequest) async throws -> Response {
        let query = try Query(of: call, names: Self.parameters + filters)
        let after = try query.integer("after", in: -1...Int64.max - 1) ?? -1
        let limit = try query.integer("limit", in: 1...Int64(ServerLimits.pageEvents))
        let streams = Self.wantsEventStream(call.request)
        let start = try streams ? Self.lastEventId(of: call.request) ?? after : after
        let size = try ledger.size()
        guard start < Int64(clamping: size) else { throw Problem.positionAhead(start, size: size) }
        if streams { return try stream(after: start, under: .presence(of: call.client)) }
        return try await page(after: after, limit: limit ?? Int64(ServerLimits.defaultPageEvents), filtered(query))
    }

    /// Returns the filters of a query for a link; empty without filters. The route has already checked that they are
    /// words.
    private func filtered(_ query: Query) -> String {
        filters.compactMap { name in query.text(name).map { "&\(name)=\($0)" } }.joined()
    }

    static func wantsEventStream(_ request: Request) -> Bool {
        request.headers[values: .accept].contains { $0.contains("text/event-stream") }
    }

    /// Returns the last position that a reconnecting client has received (WHATWG HTML §9.2.4).
    private static func lastEventId(of request: Request) throws(Problem) -> Int64? {
        guard let text = request.headers[.lastEventId] else { return nil }
        guard let id = Int64(text), id >= -1, id < .max else {
            throw .parameter("Last-Event-ID", expected: "a position", found: text)
        }
        return id
    }
}

extension EventFeed {
    static let pageHeaders: HTTPFields = [.contentType: "application/x-ndjson"]

    private func page(after: Int64, limit: Int64, _ filter: String) async throws -> Response {
        // Reading 1,000 events takes milliseconds, which would block a thread that serves every connection.
        let (bytes, next, hasMore) = try await BlockingWork.run {
            var next = UInt64(after + 1)
            let size = try ledger.size()
            let first = next
            let events = filter.isEmpty ? UInt64(limit) : UInt64(ServerLimits.pageEvents)
            let end = min(size, first.addingReportingOverflow(events).partialValue)
            var bytes: [UInt8] = []
            var count: Int64 = 0
            while next < end, filter.isEmpty || count < limit {
                try WorkLimit.check()
                for row in try rows(next) {
                    row.write(to: &bytes, canonical: false)
                    bytes.append(UInt8(ascii: "\n"))
                    count += 1
                }
                next += 1
            }
            return (bytes, next, first < next && next < size)
        }
        var headers = Self.pageHeaders
        // A page without rows has a cursor too, so that a client can resume after it.
        headers[.subledgerCursor] = "\(Int64(next) - 1)"
        if hasMore { headers[.link] = "<\(path)?after=\(next - 1)&limit=\(limit)\(filter)>; rel=\"next\"" }
        return .bytes(bytes, headers: headers)
    }
}

extension EventFeed {
    static let streamHeaders: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store",
    ]
    /// The maximum number of events per write to the connection.
    private static let batch: UInt64 = 100

    private func stream(after: Int64, under limit: WorkLimit) throws(Problem) -> Response {
        guard let subscriber = subscribers.join() else { throw .tooManySubscribers }
        return Response(
            status: .ok, headers: Self.streamHeaders,
            body: ResponseBody { writer in
                try await withGracefulShutdownHandler {
                    try await follow(&writer, from: UInt64(after + 1), as: subscriber, under: limit)
                } onGracefulShutdown: {
                    subscriber.end()
                }
                try await writer.finish(nil)
            })
    }

    /// Streams rows until the subscriber ends or the client disconnects. Without rows to write, only the limit ends it.
    @concurrent
    private func follow(
        _ writer: inout any ResponseBodyWriter, from first: UInt64, as subscriber: Subscriber, under limit: WorkLimit
    ) async throws {
        var next = first
        var wakes = subscriber.wakes.makeAsyncIterator()
        repeat {
            var isSilent = true
            while true {
                let (messages, end) = try await messages(from: next, under: limit)
                guard end > next else { break }
                next = end
                guard messages.readableBytes > 0 else { continue }
                try await writer.write(messages)
                isSilent = false
            }
            if isSilent { try await writer.write(Self.comment(id: "\(Int64(next) - 1)")) }
        } while await wakes.next() != nil
    }

    private func messages(
        from first: UInt64, under limit: WorkLimit
    ) async throws -> (ByteBuffer, end: UInt64) {
        try await BlockingWork.run(limit: limit) {
            let end = min(try ledger.size(), first + Self.batch)
            var buffer = ByteBuffer()
            for position in first..<max(first, end) {
                try WorkLimit.check()
                let rows = try rows(position)
                for (index, row) in rows.enumerated() {
                    // Only the last row of an event has an id, so that a client that disconnects earlier receives all
                    // rows again.
                    if index == rows.count - 1 { buffer.writeString("id: \(position)\n") }
                    buffer.writeString("data: \(row.serialized())\n\n")
                }
            }
            return (buffer, max(first, end))
        }
    }

    /// Returns a comment that keeps the connection alive and moves Last-Event-ID past omitted rows. An id without data
    /// dispatches no event (WHATWG HTML §9.2.6).
    static func comment(id: String) -> ByteBuffer { ByteBuffer(string: "id: \(id)\n:\n\n") }
}
