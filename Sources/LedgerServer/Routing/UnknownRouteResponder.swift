import HTTPTypes
import Hummingbird
import Logging

/// Answers what no route does: 405 for a path that is known under another method, else 404.
struct UnknownRouteResponder: RouterMiddleware {
    typealias Context = BasicRequestContext

    let routes: [any Route]
    let metrics: RouteMetrics

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path.split(separator: "/")
        let methods = routes.filter { $0.pattern.matches(path) }.map(\.method.rawValue)
        let problem: Problem
        if methods.isEmpty {
            problem = .notFound("there is no such route")
        } else {
            let allowed = methods.sorted().joined(separator: ", ")
            problem = Problem(
                .methodNotAllowed, "method_not_allowed", "the route has other methods", expected: allowed,
                found: request.method.rawValue, headers: [.allow: allowed])
        }
        metrics.count(status: problem.status.code, .zero)
        // Nothing of what was asked: of a path that is no route everything is the caller's.
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
