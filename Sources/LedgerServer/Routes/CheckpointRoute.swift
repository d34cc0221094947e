import EventLog
import HTTPTypes
import Hummingbird
import NIOPosix

/// The signed head of the log, at most a second old.
struct CheckpointRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/checkpoint"
    let access: Access
    let served: ServedLedger

    private static let headers: HTTPFields = [
        .contentType: "text/plain; charset=utf-8", .cacheControl: "max-age=1",
    ]

    func respond(to call: Call) async throws -> Response {
        _ = try Query(of: call, names: [])
        // Signing waits for the disk.
        let note = try await NIOThreadPool.singleton.runIfActive {
            try served.checkpoint.renewed(at: call.start)
        }
        return .bytes(note.bytes, headers: Self.headers)
    }
}
