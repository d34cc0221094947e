import Dispatch
package import Primitives
import Synchronization

/// The events of one call, which commit together, and the continuation of the caller.
package struct AppendRequest: Sendable {
    let events: [PreparedEvent]
    let byteCount: Int
    package let answer: CheckedContinuation<[AppendResult], any Error>

    package init(events: [PreparedEvent], answer: CheckedContinuation<[AppendResult], any Error>) {
        self.events = events
        byteCount = events.reduce(0) { $0 + $1.byteCount }
        self.answer = answer
    }

    var keys: [IdempotencyKey] { events.flatMap(\.keys) }
}

/// The bounded queue of requests for the writer. A slow disk leads to `busy`, not to higher memory use.
package final class WriterQueue: Sendable {
    static let eventLimit = 8_192
    static let byteLimit = 64 * 1_024 * 1_024

    private struct State {
        var requests: [AppendRequest] = []
        var eventCount = 0
        var byteCount = 0
        var isClosed = false
        var isPaused = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    package init() {}

    /// - Parameter isOfPause: whether the request is made by whoever paused the queue.
    /// - Returns: false when the queue is full, paused or closed; the request is then never answered.
    package func offer(_ request: AppendRequest, isOfPause: Bool = false) -> Bool {
        let accepted = state.withLock { state in
            guard !state.isClosed, !state.isPaused || isOfPause,
                state.eventCount + request.events.count <= Self.eventLimit,
                state.byteCount + request.byteCount <= Self.byteLimit
            else { return false }
            state.requests.append(request)
            state.eventCount += request.events.count
            state.byteCount += request.byteCount
            return true
        }
        if accepted { wake.signal() }
        return accepted
    }

    /// Makes the queue accept no more requests until it is resumed. The waiting ones are still taken.
    /// - Returns: false when it is paused already.
    package func pause() -> Bool {
        state.withLock { state in
            defer { state.isPaused = true }
            return !state.isPaused
        }
    }

    package func resume() { state.withLock { $0.isPaused = false } }

    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Closes the queue. It accepts no more requests, but the waiting ones are still taken.
    package func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }

    /// The number of waiting requests.
    package var count: Int { state.withLock { $0.requests.count } }

    /// Waits until `count` requests are waiting, a group is full or the queue is closed, for at most `patience`.
    package func wait(forRequests count: Int, eventLimit: Int, byteLimit: Int, patience: Duration) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(patience / .nanoseconds(1)))
        func isMoreAwaited() -> Bool {
            state.withLock { state in
                !state.isClosed && state.requests.count < count && state.eventCount < eventLimit
                    && state.byteCount < byteLimit
            }
        }
        while isMoreAwaited(), wake.wait(timeout: deadline) == .success {}
    }

    /// Waits for requests and takes as many as fit into a group, at least one; nil once the queue is closed and empty.
    package func takeGroup(eventLimit: Int, byteLimit: Int) -> [AppendRequest]? {
        while true {
            let (group, isClosed) = state.withLock { state in
                var (events, bytes) = (0, 0)
                let end =
                    state.requests.firstIndex { request in
                        events += request.events.count
                        bytes += request.byteCount
                        return events > eventLimit || bytes > byteLimit
                    } ?? state.requests.count
                let group = Array(state.requests.prefix(state.requests.isEmpty ? 0 : max(end, 1)))
                state.requests.removeFirst(group.count)
                state.eventCount -= group.reduce(0) { $0 + $1.events.count }
                state.byteCount -= group.reduce(0) { $0 + $1.byteCount }
                return (group, state.isClosed)
            }
            if !group.isEmpty { return group }
            if isClosed { return nil }
            wake.wait()
        }
    }
}
