import AppStoreModel
import HTTPTypes
import Hummingbird
import LedgerAPI
import Primitives
import SubscriptionLedger

/// Every change of an answer, in the order of the stored sequence.
struct TransitionsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/transitions"
    let access = Access.feeds
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let query = try Query(of: call, names: ["after", "limit", "environment"])
        let after = try query.text("after").map { text throws(Problem) in try Self.cursor(text, in: "after") }
        let limit = try query.integer("limit", in: 1...Int64(ServerLimits.pageEvents))
        let reader = TransitionReader(
            feed: context.transitions, ledger: context.reader,
            environment: try query.environment() ?? .production, client: call.client)
        if EventFeed.wantsEventStream(call.request) {
            // The last row that a reconnecting client has received (WHATWG HTML §9.2.4).
            let last = try call.request.headers[.lastEventId].map { text throws(Problem) in
                try Self.cursor(text, in: "Last-Event-ID")
            }
            return try await reader.stream(after: last ?? after, context.subscribers)
        }
        return try await page(reader, after: after, limit: limit.map(Int.init) ?? ServerLimits.defaultPageEvents)
    }

    private static func cursor(_ text: String, in name: String) throws(Problem) -> TransitionCursor {
        guard let cursor = TransitionCursor(text) else {
            throw .parameter(
                name, expected: "a value of Subledger-Cursor or a stream id", found: text)
        }
        return cursor
    }

    private func page(
        _ reader: TransitionReader, after: TransitionCursor?, limit: Int
    ) async throws -> Response {
        let page = try await reader.page(after: after, count: limit, waiting: true)
        var bytes: [UInt8] = []
        for (row, _) in page.rows {
            row.json.write(to: &bytes, canonical: false)
            bytes.append(UInt8(ascii: "\n"))
        }
        var headers = EventFeed.pageHeaders
        headers[.subledgerCursor] = page.cursor.text
        if page.hasMore {
            let next = "\(template)?after=\(page.cursor.text)&limit=\(limit)&environment=\(reader.environment.rawValue)"
            headers[.link] = "<\(next)>; rel=\"next\""
        }
        return .bytes(bytes, headers: headers)
    }
}
