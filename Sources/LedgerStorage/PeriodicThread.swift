package import Dispatch
import Synchronization

/// A thread that runs its work after every interval, and when it is woken.
package final class PeriodicThread: Sendable {
    private struct State {
        var thread: DedicatedThread?
        var isClosing = false
        /// The error of the last round; nil when it succeeded.
        var failure: String?
    }

    private let interval: DispatchTimeInterval
    private let state = Mutex(State())
    private let alarm = DispatchSemaphore(value: 0)

    package init(every interval: DispatchTimeInterval) {
        self.interval = interval
    }

    /// Starts the thread. It retains the captures of `work` until `close`.
    /// - Throws: `io_error` when the system cannot create a thread.
    package func start(_ work: @escaping @Sendable () throws -> Void) throws(StorageError) {
        let thread = try DedicatedThread { self.run(work) }
        state.withLock { $0.thread = thread }
    }

    /// Whether the thread was started and not yet closed.
    package var isRunning: Bool { state.withLock { $0.thread != nil } }

    /// Whether the thread was told to end.
    package var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The error of the last round; nil when it succeeded.
    package var failure: String? { state.withLock { $0.failure } }

    package func wake() {
        alarm.signal()
    }

    /// Runs the work a last time, and waits for the thread to end.
    package func close() {
        let thread = state.withLock { state in
            state.isClosing = true
            return state.thread.take()
        }
        alarm.signal()
        thread?.join()
    }

    private func run(_ work: () throws -> Void) {
        while true {
            _ = alarm.wait(timeout: .now() + interval)
            let isClosing = isClosing
            do {
                try work()
                state.withLock { $0.failure = nil }
            } catch {
                state.withLock { $0.failure = "\(error)" }
            }
            if isClosing { return }
        }
    }
}
