import HTTPTypes
import Hummingbird
import LedgerConfiguration
import LedgerStorage
import Logging
import Primitives

/// Handles every call: checks the key, runs the route, then counts and logs the response. The log contains the template
/// of the route, never the requested path.
struct RouteResponder: HTTPResponder {
    typealias Context = LedgerRequestContext

    let route: any Route
    let keys: KeyRing
    let clients: Clients
    let metrics: RouteMetrics
    let now: @Sendable () -> ContinuousClock.Instant
    /// Returns the problem to answer an error of the route with.
    let problem: @Sendable (any Error) -> Problem

    func respond(to request: Request, context: LedgerRequestContext) async -> Response {
        let start = now()
        var code: String?
        var key: String?
        let response: Response
        do {
            let admission = try keys.admit(
                authorization: request.headers[.authorization], to: route, at: start)
            key = admission.key?.name
            let client = clients.presence(at: context.channel)
            let call = RouteRequest(
                request: request, parameters: context.parameters, admission: admission, client: client, start: start)
            response = try await WorkLimit.$current.withValue(limit(of: call)) {
                try await route.respond(to: call)
            }
        } catch {
            let problem = problem(error)
            if problem.status.code >= 500 { Self.tell(context.logger, of: error, problem) }
            code = problem.diagnosis.code
            response = Response(problem)
        }
        let duration = now() - start
        metrics.count(status: response.status.code, duration)
        log(context.logger, response.status, duration, code, key)
        return response
    }

    /// Only a question ends with its client. A change is made even if nobody waits for the answer.
    private func limit(of call: RouteRequest) -> WorkLimit {
        let presence = WorkLimit.presence(of: route.method == .get ? call.client : nil)
        let deadline = call.start + ServerLimits.workDuration
        return WorkLimit { [now] in now() < deadline ? presence.reason : .timeLimit }
    }

    /// Logs a call. The duration ends when the response begins, because a stream may last for days.
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

    /// Logs a failure. The ledger's own messages contain no ids; for an unexpected error, only the type is logged.
    private static func tell(_ logger: Logger, of error: any Error, _ problem: Problem) {
        let what =
            switch error {
            case let error as StorageError: error.message
            case let error as WorkStopped: error.message
            case is Problem: problem.message
            default: "\(type(of: error))"
            }
        let level: Logger.Level = problem.status == .internalServerError ? .error : .warning
        logger.log(
            level: level, "request failed", metadata: ["code": .string(problem.diagnosis.code), "what": .string(what)])
    }
}

extension Duration {
    /// The milliseconds, with microseconds as the fraction.
    fileprivate var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds / 1_000_000_000_000) / 1_000
    }
}
