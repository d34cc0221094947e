import NIOPosix
package import Primitives
import Synchronization

/// Work that blocks its thread, for example because it reads from the disk.
package enum BlockingWork {
    /// Runs `body` on a thread that serves no connection, under the limit and the cancellation of the current task.
    package static func run<Value: Sendable>(
        limit: WorkLimit? = WorkLimit.current, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        let limit = WorkLimit {
            cancellation.isRequested.load(ordering: .relaxed) ? .cancelled : limit?.reason
        }
        return try await withTaskCancellationHandler {
            try await NIOThreadPool.singleton.runIfActive {
                try WorkLimit.$current.withValue(limit) { try body() }
            }
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .relaxed)
        }
    }

    private final class Cancellation: Sendable {
        let isRequested = Atomic(false)
    }
}
