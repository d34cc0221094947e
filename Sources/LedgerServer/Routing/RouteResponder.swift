import EventLog
import HTTPTypes
import Hummingbird
import LedgerConfiguration
import Logging

/// What every call goes through: the key, the route, and then the answer counted and told to the log, by the route's
/// template and never by what was asked.
struct RouteResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let route: any Route
    let keys: KeyRing
    let metrics: RouteMetrics
    let now: @Sendable () -> ContinuousClock.Instant

    func respond(to request: Request, context: BasicRequestContext) async -> Response {
        let start = now()
        var code: String?
        var key: String?
        let response: Response
        do {
            let admission = try keys.admit(
                authorization: request.headers[.authorization], to: route, at: start)
            key = admission.key?.name
            response = try await route.respond(
                to: Call(request: request, parameters: context.parameters, admission: admission, start: start))
        } catch {
            let problem = Problem(any: error)
            if problem.status.code >= 500 { Self.tell(context.logger, of: error, problem) }
            code = problem.code
            response = Response(problem)
        }
        let duration = now() - start
        metrics.count(status: response.status.code, duration)
        log(context.logger, response.status, duration, code, key)
        return response
    }

    /// The time is that until the answer begins: a follower's goes on for days.
    private func log(
        _ logger: Logger, _ status: HTTPResponse.Status, _ duration: Duration, _ code: String?, _ key: String?
    ) {
        logger.info(
            "request",
            metadata: [
                "method": .string(route.method.rawValue), "route": .string(route.template),
                "status": .stringConvertible(status.code),
                "milliseconds": .stringConvertible(duration.milliseconds),
            ].merging(["code": code, "key": key].compactMapValues { $0.map { .string($0) } }) { first, _ in first })
    }

    /// What the ledger says of itself holds no id; of an error that nobody foresaw only the type is told.
    private static func tell(_ logger: Logger, of error: any Error, _ problem: Problem) {
        let what =
            switch error {
            case let error as EventLogError: error.message
            case is Problem: problem.detail
            default: "\(type(of: error))"
            }
        let level: Logger.Level = problem.status == .internalServerError ? .error : .warning
        logger.log(level: level, "call failed", metadata: ["code": .string(problem.code), "what": .string(what)])
    }
}

extension Duration {
    /// With microseconds as its fraction.
    fileprivate var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds / 1_000_000_000_000) / 1_000
    }
}
