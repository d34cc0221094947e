import HTTPTypes
import Hummingbird
import Primitives

/// Whether the process answers at all.
struct HealthRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/healthz"
    let access = Access.anybody

    func respond(to call: Call) async throws -> Response {
        .json(.object(["status": .string("ok")]))
    }
}
