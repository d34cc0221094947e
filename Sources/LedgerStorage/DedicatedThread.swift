import Glibc
import Synchronization

/// A dedicated thread for blocking work. Waiting for a disk on the cooperative pool would stop all other tasks.
package final class DedicatedThread: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Creates a thread that runs `body` to its end.
    /// - Throws: `io_error` when the system cannot create a thread.
    package init(_ body: @escaping @Sendable () -> Void) throws(StorageError) {
        final class Body: Sendable {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        let retained = Unmanaged.passRetained(Body(body))
        var started = pthread_t()
        let result = pthread_create(
            &started, nil,
            { argument in
                // The pointer is the body retained above. It is released here, or below when no thread starts.
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, retained.toOpaque())
        guard result == 0 else {
            retained.release()
            throw StorageError(.ioError, "starting a thread failed: \(String(cString: strerror(result)))")
        }
        let running = started
        thread = Mutex(running)
    }

    /// Waits until the body has returned.
    package func join() {
        if let running = thread.withLock({ $0.take() }) { pthread_join(running, nil) }
    }
}
