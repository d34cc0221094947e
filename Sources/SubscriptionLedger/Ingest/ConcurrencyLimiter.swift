import EventLog
import Glibc
import LedgerStorage
import Synchronization

/// Limits the number of running and waiting verifications. Further ones fail immediately, at little cost.
package final class ConcurrencyLimiter: Sendable {
    /// Two per core, so that one may wait for memory.
    package static let runningLimit = 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    package static let waitingLimit = 1_024

    private struct State {
        var running = 0
        /// The waiting calls in the order of arrival; those before `next` have been resumed.
        var waiting: [CheckedContinuation<Void, any Error>] = []
        var next = 0
    }

    private enum Admission { case running, waiting, refused }

    private let runningLimit: Int
    private let waitingLimit: Int
    private let state = Mutex(State())

    package init(
        runningLimit: Int = ConcurrencyLimiter.runningLimit, waitingLimit: Int = ConcurrencyLimiter.waitingLimit
    ) {
        self.runningLimit = runningLimit
        self.waitingLimit = waitingLimit
    }

    /// The number of waiting calls.
    package var waiting: Int { state.withLock { $0.waiting.count - $0.next } }

    /// Runs `body` as soon as the limit allows it.
    /// - Throws: `busy` when too many calls wait; errors of `body`.
    package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let admission: Admission = state.withLock { state in
                if state.running < runningLimit {
                    state.running += 1
                    return .running
                }
                guard state.waiting.count - state.next < waitingLimit else { return .refused }
                state.waiting.append(continuation)
                return .waiting
            }
            switch admission {
            case .running: continuation.resume()
            case .waiting: break
            case .refused:
                continuation.resume(
                    throwing: StorageError(.busy, "too many queued verifications", hint: "Try again."))
            }
        }
    }

    /// Passes the slot to the call that has waited longest.
    private func leave() {
        let next: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard state.next < state.waiting.count else {
                state.running -= 1
                return nil
            }
            let next = state.waiting[state.next]
            state.next += 1
            if state.next == state.waiting.count {
                state.waiting.removeAll(keepingCapacity: true)
                state.next = 0
            }
            return next
        }
        next?.resume()
    }
}
