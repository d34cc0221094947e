package import AppStoreClient
package import AppStoreModel
package import Primitives
import Synchronization

/// When one service of Apple's may be called about an app in one environment.
///
/// After a failure, no call is made until Apple's time, or for longer after each failure. A failure that an operator has
/// to correct stops the calls until the next start.
final class CallGate: Sendable {
    let app: CallBudget.App
    private let budget: SharedBudget
    private let clock: @Sendable () -> Instant
    private let state = Mutex(State())

    private struct State {
        var resumesAt = Instant.earliest
        var stoppedBy: Diagnosis?
        var failures = 0
    }

    /// The longest pause after failures.
    private static let longestPause = 5 * Instant.millisecondsPerMinute

    init(_ app: CallBudget.App, within budget: SharedBudget, clock: @escaping @Sendable () -> Instant) {
        (self.app, self.budget, self.clock) = (app, budget, clock)
    }

    /// The failure that stopped the calls; nil while calls are made.
    var stoppedBy: Diagnosis? { state.withLock { $0.stoppedBy } }

    /// Takes a call out of the budget.
    /// - Parameter inBackground: whether the call can wait for all others.
    /// - Returns: nil when the call may be made now, otherwise the instant from which to ask again.
    func take(_ endpoint: ServerAPIEndpoint, inBackground: Bool = false) -> Instant? {
        let now = clock()
        let (isStopped, resumesAt) = state.withLock { ($0.stoppedBy != nil, $0.resumesAt) }
        if isStopped { return .latest }
        if resumesAt > now { return resumesAt }
        return budget.take(endpoint, of: app, at: now, inBackground: inBackground)
    }

    func noteAnswer() {
        state.withLock { $0.failures = 0 }
    }

    /// Stops the calls until the next start.
    func stop(_ diagnosis: Diagnosis) {
        state.withLock { $0.stoppedBy = diagnosis }
    }

    func note(_ failure: ServerAPIFailure) {
        let now = clock()
        state.withLock { state in
            switch failure {
            case .rateLimited(let until): state.resumesAt = max(state.resumesAt, until)
            case .unauthorized, .clockSkew: state.stoppedBy = failure.diagnosis
            case .unavailable:
                // The calls that were made at the same time fail together, once.
                guard now >= state.resumesAt else { return }
                state.failures += 1
                let pause = min(Int64(1_000) << Int64(min(state.failures, 10)), Self.longestPause)
                state.resumesAt = now.advanced(byMilliseconds: pause)
            }
        }
    }
}

/// An app whose calls stopped until the next start. An operator has to correct the cause.
package struct StoppedCalls: Hashable, Sendable {
    package let bundleId: String
    package let environment: String
    /// The failure that stopped the calls.
    package let cause: Diagnosis

    init(_ app: CallBudget.App, _ cause: Diagnosis) {
        (bundleId, environment) = (app.bundleId, app.environment.rawValue)
        self.cause = cause
    }

    package var code: String { cause.code }
    package var hint: String? { cause.hint }

    /// The codes of failures that stop calls.
    package static let codes = ["api_unauthorized", "clock_skew", "shared_secret_refused", "verify_receipt_refused"]

    package var json: JSONValue {
        .object(["bundleId": .string(bundleId), "environment": .string(environment), "code": .string(code)])
    }

    /// The members of `json`, and the failure in words, for the operator.
    var explained: JSONValue {
        .object([
            "bundleId": .string(bundleId), "environment": .string(environment), "code": .string(code),
            "message": .string(cause.message), "expected": JSONValue(cause.expected), "found": JSONValue(cause.found),
            "hint": JSONValue(hint),
        ])
    }
}

/// The budget of all connections.
package final class SharedBudget: Sendable {
    private let budget: Mutex<CallBudget>

    package init(callsPerHour: Int = 36_000, headroom: Double = 0.8) {
        budget = Mutex(CallBudget(callsPerHour: callsPerHour, headroom: headroom))
    }

    /// Takes a call out of the budget.
    /// - Parameter inBackground: whether the call can wait for all others.
    /// - Returns: nil when the call may be made now, otherwise the instant from which to ask again.
    package func take(
        _ endpoint: ServerAPIEndpoint, of app: CallBudget.App, at now: Instant, inBackground: Bool = false
    ) -> Instant? {
        budget.withLock {
            inBackground ? $0.takeInBackground(endpoint, of: app, at: now) : $0.take(endpoint, of: app, at: now)
        }
    }
}
