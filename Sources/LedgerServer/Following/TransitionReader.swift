import AppStoreModel
import EventLog
import HTTPTypes
import Hummingbird
import LedgerAPI
import NIOCore
import NIOPosix
import Primitives
import ServiceLifecycle
import SubscriptionLedger

/// Reads the feed of transitions of one environment for one caller.
struct TransitionReader: Sendable {
    let feed: TransitionFeed
    let log: EventLog
    let environment: AppStoreModel.Environment

    /// Rows of a stream between two waits for the connection.
    private static let batch = 100

    /// - Parameter waiting: first waits for the rows of the events that the log has, a few seconds at most.
    func page(after cursor: TransitionCursor?, limit: Int, waiting: Bool) async throws -> TransitionFeed.Page {
        if waiting {
            try await feed.waitUntilProcessed(
                try log.head().size, patience: .seconds(ServerLimits.transitionSeconds))
        }
        // Reading a thousand rows takes milliseconds, which the threads that serve everybody do not have.
        return try await NIOThreadPool.singleton.runIfActive {
            try feed.page(after: cursor, limit: limit, environment: environment)
        }
    }

    /// Sends the rows that are there and those to come; the id of each is its cursor.
    /// - Throws: `TransitionCursorError`; `busy` when too many follow.
    func stream(after cursor: TransitionCursor?, _ followers: Followers) async throws -> Response {
        // A cursor that cannot be followed is an answer, not the end of a stream.
        _ = try await page(after: cursor, limit: 1, waiting: cursor != nil)
        guard let follower = followers.join() else { throw Problem.tooManyFollowers }
        return Response(
            status: .ok, headers: EventFeed.streamHeaders,
            body: ResponseBody { writer in
                try await withGracefulShutdownHandler {
                    try await follow(&writer, after: cursor, as: follower)
                } onGracefulShutdown: {
                    follower.end()
                }
                try await writer.finish(nil)
            })
    }

    /// Ends with the follower, or when a write finds that nobody reads any more.
    @concurrent
    private func follow(
        _ writer: inout any ResponseBodyWriter, after start: TransitionCursor?, as follower: Follower
    ) async throws {
        var cursor = start
        var wakes = follower.wakes.makeAsyncIterator()
        repeat {
            var isSilent = true
            var hasMore = true
            while hasMore {
                let page = try await page(after: cursor, limit: Self.batch, waiting: false)
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
