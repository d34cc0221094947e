import Glibc
import Synchronization

/// A thread of its own for work that blocks: waiting for a disk on the cooperative pool would stop everybody else.
package final class DedicatedThread: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Runs `body` to its end on a new thread.
    /// - Throws: `io_error` when the system gives no thread.
    package init(_ body: @escaping @Sendable () -> Void) throws(EventLogError) {
        final class Body: Sendable {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        let retained = Unmanaged.passRetained(Body(body))
        var started = pthread_t()
        let result = pthread_create(
            &started, nil,
            { argument in
                // The pointer is the body retained above, released here and, when no thread starts, below.
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, retained.toOpaque())
        guard result == 0 else {
            retained.release()
            throw EventLogError(.ioError, "a thread cannot start: \(String(cString: strerror(result)))")
        }
        let running = started
        thread = Mutex(running)
    }

    /// Waits until the body has returned.
    package func join() {
        if let running = thread.withLock({ $0.take() }) { pthread_join(running, nil) }
    }
}
