import Dispatch
import Primitives
import Synchronization

/// Events of one call, which commit together, and who waits for them.
package struct AppendRequest: Sendable {
    let events: [PreparedEvent]
    let byteCount: Int
    package let answer: CheckedContinuation<[Appended], any Error>

    package init(events: [PreparedEvent], answer: CheckedContinuation<[Appended], any Error>) {
        self.events = events
        byteCount = events.reduce(0) { $0 + $1.byteCount }
        self.answer = answer
    }

    var identities: [Identity] {
        events.flatMap { [$0.record.identity, $0.repeatIdentity].compactMap(\.self) }
    }
}

/// What waits for the writer: bounded, so that a slow disk shows as `busy` and not as memory.
package final class WriterQueue: Sendable {
    static let eventLimit = 8_192
    static let byteLimit = 64 * 1_024 * 1_024

    private struct State {
        var requests: [AppendRequest] = []
        var eventCount = 0
        var byteCount = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    package init() {}

    /// - Returns: false when the queue is full or closed; then nobody will answer the request.
    package func offer(_ request: AppendRequest) -> Bool {
        let accepted = state.withLock { state in
            guard !state.isClosed, state.eventCount + request.events.count <= Self.eventLimit,
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

    /// Nothing is accepted from now on; what waits is still taken.
    package func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }

    /// How many requests wait.
    package var count: Int { state.withLock { $0.requests.count } }

    /// Waits until so many requests wait, or as much as fits a group, for as long as `patience` lasts.
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

    /// Waits for requests and takes as many as fit a group, at least one; nil once closed and empty.
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
