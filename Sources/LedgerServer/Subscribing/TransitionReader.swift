import AppStoreModel
import HTTPTypes
import Hummingbird
import LedgerAPI
import NIOCore
import Primitives
import ServiceLifecycle
import SubscriptionLedger

/// Reads the feed of transitions in one environment for one caller.
struct TransitionReader: Sendable {
    let feed: TransitionFeed
    let ledger: LedgerReader
    let environment: AppStoreModel.Environment
    let client: ClientPresence?

    /// The maximum number of rows per write to the connection.
    private static let batch = 100

    /// - Parameters:
    ///   - count: the maximum number of rows.
    ///   - waiting: whether to wait first, for a few seconds at most, for the rows of all events in the log.
    ///   - limit: nil for the limit of the current task.
    func page(
        after cursor: TransitionCursor?, count: Int, waiting: Bool, under limit: WorkLimit? = nil
    ) async throws -> TransitionFeed.Page {
        if waiting {
            try await feed.waitUntilProcessed(
                try ledger.size(), patience: .seconds(ServerLimits.transitionSeconds))
        }
        // Reading 1,000 rows takes milliseconds, which would block a thread that serves every connection.
        return try await BlockingWork.run(limit: limit ?? WorkLimit.current) {
            try feed.page(after: cursor, limit: count, environment: environment)
        }
    }

    /// Streams the existing rows and then new ones. The id of each row is its cursor.
    /// - Throws: `TransitionCursorError`; `busy` when there are too many subscribers.
    func stream(after cursor: TransitionCursor?, _ subscribers: Subscribers) async throws -> Response {
        // An invalid cursor is answered with a problem before the stream starts.
        _ = try await page(after: cursor, count: 1, waiting: cursor != nil)
        guard let subscriber = subscribers.join() else { throw Problem.tooManySubscribers }
        return Response(
            status: .ok, headers: EventFeed.streamHeaders,
            body: ResponseBody { writer in
                try await withGracefulShutdownHandler {
                    try await follow(&writer, after: cursor, as: subscriber)
                } onGracefulShutdown: {
                    subscriber.end()
                }
                try await writer.finish(nil)
            })
    }

    /// Streams rows until the subscriber ends or the client disconnects.
    @concurrent
    private func follow(
        _ writer: inout any ResponseBodyWriter, after start: TransitionCursor?, as subscriber: Subscriber
    ) async throws {
        var cursor = start
        var wakes = subscriber.wakes.makeAsyncIterator()
        // The response has begun, so the time limit of the request no longer applies.
        let limit = WorkLimit.presence(of: client)
        repeat {
            var isSilent = true
            var hasMore = true
            while hasMore {
                let page = try await page(after: cursor, count: Self.batch, waiting: false, under: limit)
                (cursor, hasMore) = (page.cursor, page.hasMore)
                guard !page.rows.isEmpty else { continue }
                try await writer.write(Self.messages(page))
                isSilent = false
            }
            if isSilent, let cursor { try await writer.write(EventFeed.comment(id: cursor.text)) }
        } while await wakes.next() != nil
    }

    private static func messages(_ page: TransitionFeed.Page) -> ByteBuffer {
        var buffer = ByteBuffer()
        for (row, cursor) in page.rows {
            buffer.writeString("id: \(cursor.text)\ndata: \(row.json.serialized())\n\n")
        }
        return buffer
    }
}
