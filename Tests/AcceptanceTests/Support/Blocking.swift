import Dispatch

/// Runs code that waits for other programs on its own thread, so that it blocks no other test.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withTaskExecutorPreference(OwnThread()) { try body() }
}

private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "acceptance test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
