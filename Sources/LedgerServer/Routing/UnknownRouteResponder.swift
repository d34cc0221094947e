import HTTPTypes
import Hummingbird
import Logging

/// Responds to requests without a route: 405 for a path that has other methods, else 404.
struct UnknownRouteResponder: RouterMiddleware {
    typealias Context = LedgerRequestContext

    let routes: [any Route]
    let metrics: RouteMetrics

    func handle(
        _ request: Request, context: LedgerRequestContext,
        next: @concurrent (Request, LedgerRequestContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path.split(separator: "/")
        let methods = routes.filter { $0.pattern.matches(path) }.map(\.method.rawValue)
        let problem: Problem
        if methods.isEmpty {
            problem = .notFound("route not found")
        } else {
            let allowed = methods.sorted().joined(separator: ", ")
            problem = Problem(
                .methodNotAllowed, "method_not_allowed", "method not allowed for this route", expected: allowed,
                found: request.method.rawValue, headers: [.allow: allowed])
        }
        metrics.count(status: problem.status.code, .zero)
        // The path is not logged: without a route, all of it is input of the caller.
        context.logger.info(
            "request",
            metadata: ["route": .string(metrics.route), "status": .stringConvertible(problem.status.code)])
        return Response(problem)
    }
}

extension RouterPath {
    fileprivate func matches(_ path: [Substring]) -> Bool {
        if let last = components.last, last == .recursiveWildcard {
            return path.count >= components.count && zip(components.dropLast(), path).allSatisfy { $0 ~= $1 }
        }
        return path.count == components.count && zip(components, path).allSatisfy { $0 ~= $1 }
    }
}
