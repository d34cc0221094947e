import HTTPTypes
import Hummingbird

/// The OpenAPI 3.1 specification of this API.
struct SpecificationRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/openapi.yaml"
    let access = Access.anybody

    private static let headers: HTTPFields = [
        .contentType: "application/yaml", .cacheControl: "public, max-age=3600",
    ]

    func respond(to call: RouteRequest) async throws -> Response {
        .bytes(PackageResources.openapi_yaml, headers: Self.headers)
    }
}
