package import AppStoreClient
import AppStoreModel
package import Primitives

/// The App Store Server API for one app in one environment: the way to ask, and when to.
package final class AppStoreConnection: Sendable {
    private let gate: CallGate
    private let send: Send

    /// Makes one call. It asks before each repetition whether the budget allows it.
    package typealias Send =
        @Sendable (ServerAPIRequest, _ mayRepeat: @escaping @Sendable () -> Bool) async throws -> ServerAPIReply

    package init(
        _ app: CallBudget.App, within budget: SharedBudget, clock: @escaping @Sendable () -> Instant,
        send: @escaping Send
    ) {
        gate = CallGate(app, within: budget, clock: clock)
        self.send = send
    }

    package var app: CallBudget.App { gate.app }

    /// The failure that stopped the calls; nil while calls are made.
    var stoppedBy: Diagnosis? { gate.stoppedBy }

    /// Why the calls stopped; nil while calls are made.
    package var stop: StoppedCalls? { stoppedBy.map { StoppedCalls(app, $0) } }

    /// Takes a call out of the budget.
    /// - Parameter inBackground: whether the call can wait for all others.
    /// - Returns: nil when the call may be made now, otherwise the instant from which to ask again.
    func take(_ endpoint: ServerAPIEndpoint, inBackground: Bool = false) -> Instant? {
        gate.take(endpoint, inBackground: inBackground)
    }

    /// Makes a call that was taken out of the budget. A repetition takes another one.
    /// - Parameter inBackground: whether repetitions can wait for all other calls.
    /// - Throws: `ServerAPIFailure`; `CancellationError`.
    func call(_ request: ServerAPIRequest, inBackground: Bool = false) async throws -> ServerAPIReply {
        do {
            let reply = try await send(request) { self.take(request.endpoint, inBackground: inBackground) == nil }
            gate.noteAnswer()
            return reply
        } catch let failure as ServerAPIFailure {
            gate.note(failure)
            throw failure
        }
    }
}
