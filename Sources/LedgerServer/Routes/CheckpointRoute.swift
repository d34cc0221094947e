import HTTPTypes
import Hummingbird
import SubscriptionLedger

/// The signed head of the log, at most one second old.
struct CheckpointRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/checkpoint"
    let access: Access
    let context: RouteContext

    private static let headers: HTTPFields = [
        .contentType: "text/plain; charset=utf-8", .cacheControl: "max-age=1",
    ]

    func respond(to call: RouteRequest) async throws -> Response {
        _ = try Query(of: call, names: [])
        // Signing waits for the disk.
        let note = try await BlockingWork.run {
            try context.checkpoint.renewedNote(at: call.start)
        }
        return .bytes(note, headers: Self.headers)
    }
}
