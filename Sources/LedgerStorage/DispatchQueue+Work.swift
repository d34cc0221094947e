package import Dispatch
import Synchronization

extension DispatchQueue {
    /// Runs work that waits for a disk, which would block a thread of the cooperative pool.
    ///
    /// The work is released before the call returns: an environment that it captures can then be closed and reopened.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let work = Work(body)
        return try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: work.run()) }
        }
    }
}

/// Work that is released once it ran.
private final class Work<Value: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () throws -> Value)?>

    init(_ body: @escaping @Sendable () throws -> Value) {
        self.body = Mutex(body)
    }

    func run() -> Result<Value, any Error> {
        guard let body = body.withLock({ $0.take() }) else { preconditionFailure("work runs once") }
        return Result { try body() }
    }
}
