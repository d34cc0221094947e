/// The limit of the work for one request, such as a time budget.
///
/// Long loops call `check` at each step. The limit belongs to the current task, so that no function has to pass it on.
/// Without one, work ends only when its task is cancelled.
package struct WorkLimit: Sendable {
    @TaskLocal package static var current: WorkLimit?

    private let reasonToStop: @Sendable () -> WorkStopped?

    /// - Parameter reasonToStop: returns nil while the work may go on.
    package init(_ reasonToStop: @escaping @Sendable () -> WorkStopped?) {
        self.reasonToStop = reasonToStop
    }

    /// The reason to stop; nil while the work may go on.
    package var reason: WorkStopped? { reasonToStop() }

    /// - Throws: the reason to stop the current work.
    package static func check() throws(WorkStopped) {
        if Task.isCancelled { throw .cancelled }
        if let reason = current?.reason { throw reason }
    }
}

/// The reason that work was stopped before its end.
package enum WorkStopped: DiagnosedError, Hashable {
    case timeLimit
    case clientGone
    case cancelled

    package var diagnosis: Diagnosis {
        switch self {
        case .timeLimit:
            Diagnosis(
                "time_limit_exceeded", "the answer takes too long", expected: "an answer within the time limit",
                found: "more work", hint: "Ask for less, or retry when the load is lower.", isRetryable: true)
        case .clientGone:
            Diagnosis("client_gone", "the client has closed the connection", expected: "a client", found: "none")
        case .cancelled:
            Diagnosis("busy", "the service is stopping", hint: "Try again.", isRetryable: true)
        }
    }
}
