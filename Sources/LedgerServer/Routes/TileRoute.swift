import EventLog
import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The log's tree in tiles, and its entries in bundles (C2SP tlog-tiles), as far as the published checkpoint goes.
struct TileRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/tile/{path}"
    let pattern: RouterPath = "/tile/**"
    let access: Access
    let served: ServedLedger
    private let headers: HTTPFields

    init(access: Access, served: ServedLedger) {
        self.access = access
        self.served = served
        let scope = access == .anybody ? "public" : "private"
        // A tile never changes, not even a partial one: what grows has another name.
        headers = [
            .contentType: "application/octet-stream", .cacheControl: "\(scope), max-age=31536000, immutable",
        ]
    }

    func respond(to call: Call) async throws -> Response {
        _ = try Query(of: call, names: [])
        let size = served.checkpoint.current.checkpoint.size
        guard let resource = TileResource(path: String(call.request.uri.path.dropFirst())),
            let body = try served.ledger.log.body(of: resource, inTreeOf: size)
        else { throw Problem.notFound("the published tree of \(size) events has no such tile") }
        return .bytes(body, headers: headers)
    }
}
