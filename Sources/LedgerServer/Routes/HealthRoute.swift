import HTTPTypes
import Hummingbird
import Primitives

/// Reports that the process responds.
struct HealthRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/healthz"
    let access = Access.anybody

    func respond(to call: RouteRequest) async throws -> Response {
        .json(.object(["status": .string("ok")]))
    }
}
