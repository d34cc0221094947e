import Glibc
import LedgerStorage
import ServiceLifecycle

/// Limits the duration of a shutdown. Work that never suspends, such as the fold of a very long history, cannot be
/// cancelled.
///
/// It must be the last service of a group, because a group shuts down its last service first.
package struct ShutdownLimit: Service {
    private let limit: Duration
    /// Called on a thread of its own when the limit is exceeded, even while every other thread is busy.
    private let onTimeout: @Sendable () -> Void

    package init(_ limit: Duration, onTimeout: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onTimeout = onTimeout
    }

    package func run() async throws {
        try await gracefulShutdown()
        _ = try DedicatedThread { [limit, onTimeout] in
            let (seconds, attoseconds) = limit.components
            var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            var left = timespec()
            // A signal interrupts the sleep.
            while nanosleep(&time, &left) != 0 { time = left }
            onTimeout()
        }
    }
}
