package import AppStoreClient
import AppStoreModel
package import Primitives

/// verifyReceipt for one app in one environment: the way to ask, and when to.
package final class VerifyReceiptConnection: Sendable {
    private let gate: CallGate
    private let send: Send

    package typealias Send = @Sendable (VerifyReceiptRequest) async throws -> VerifyReceiptReply

    package init(
        _ app: CallBudget.App, within budget: SharedBudget, clock: @escaping @Sendable () -> Instant,
        send: @escaping Send
    ) {
        gate = CallGate(app, within: budget, clock: clock)
        self.send = send
    }

    package var app: CallBudget.App { gate.app }

    /// Why the calls stopped; nil while calls are made.
    package var stop: StoppedCalls? { gate.stoppedBy.map { StoppedCalls(app, $0) } }

    /// Takes a call out of the budget.
    /// - Returns: nil when the call may be made now, otherwise the instant from which to ask again.
    func take() -> Instant? { gate.take(.verifyReceipt) }

    /// Makes a call that was taken out of the budget. A status that an operator has to correct stops the calls.
    /// - Throws: `ServerAPIFailure`; `CancellationError`.
    func call(_ request: VerifyReceiptRequest) async throws -> VerifyReceiptReply {
        do {
            let reply = try await send(request)
            gate.noteAnswer()
            if reply.outcome == .misconfigured { gate.stop(Self.misconfigured(reply.answer.status)) }
            return reply
        } catch let failure as ServerAPIFailure {
            gate.note(failure)
            throw failure
        }
    }

    private static func misconfigured(_ status: Int64) -> Diagnosis {
        Diagnosis(
            status == 21_004 ? "shared_secret_refused" : "verify_receipt_refused",
            "verifyReceipt refuses the request", expected: "status 0", found: "status \(status)",
            hint: status == 21_004
                ? "Compare the first line of sharedSecretFile with App Store Connect." : "Correct verifyReceiptURL.")
    }
}
