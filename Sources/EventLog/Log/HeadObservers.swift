import Synchronization
import TransparencyLog

/// The observers of the log's head.
final class HeadObservers: Sendable {
    private struct State {
        var next: UInt64 = 0
        var continuations: [UInt64: AsyncStream<TreeHead>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Returns a stream of the heads published from now on. It buffers only the newest.
    func heads() -> AsyncStream<TreeHead> {
        let (stream, continuation) = AsyncStream.makeStream(of: TreeHead.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.next += 1
            state.continuations[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
        }
        return stream
    }

    func tell(_ head: TreeHead) {
        // Outside the lock: a yield waits for a cancellation of the observer's task that is in progress, which calls the
        // termination handler, which acquires the lock.
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(head) }
    }
}
