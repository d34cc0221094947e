import HTTPTypes
import Hummingbird
import SubscriptionLedger
import TransparencyLog

/// The tiles of the log's tree and the entry bundles (C2SP tlog-tiles), up to the published checkpoint.
struct TileRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/tile/{path}"
    let pattern: RouterPath = "/tile/**"
    let access: Access
    let context: RouteContext
    private let headers: HTTPFields

    init(access: Access, context: RouteContext) {
        self.access = access
        self.context = context
        let scope = access == .anybody ? "public" : "private"
        // A tile never changes, not even a partial one: a larger tile has another name.
        headers = [
            .contentType: "application/octet-stream", .cacheControl: "\(scope), max-age=31536000, immutable",
        ]
    }

    func respond(to call: RouteRequest) async throws -> Response {
        _ = try Query(of: call, names: [])
        let size = context.checkpoint.size
        guard let resource = TileResource(path: String(call.request.uri.path.dropFirst())),
            let body = try context.reader.body(of: resource, inTreeOf: size)
        else { throw Problem.notFound("tile not found in the published tree of \(size) events") }
        return .bytes(body, headers: headers)
    }
}
