import Dispatch
import Primitives
import Synchronization

/// Events of one call, which commit together, and who waits for them.
struct AppendRequest: Sendable {
    let events: [PreparedEvent]
    let byteCount: Int
    let answer: CheckedContinuation<[Appended], any Error>

    init(events: [PreparedEvent], answer: CheckedContinuation<[Appended], any Error>) {
        self.events = events
        byteCount = events.reduce(0) { $0 + $1.byteCount }
        self.answer = answer
    }

    var identities: [Identity] {
        events.flatMap { [$0.record.identity, $0.repeatIdentity].compactMap(\.self) }
    }
}

/// What waits for the writer: bounded, so that a slow disk shows as `busy` and not as memory.
final class WriterQueue: Sendable {
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

    /// - Returns: false when the queue is full or closed; then nobody will answer the request.
    func offer(_ request: AppendRequest) -> Bool {
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
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }

    /// Waits for requests and takes as many as fit a group, at least one; nil once closed and empty.
    func takeGroup(eventLimit: Int, byteLimit: Int) -> [AppendRequest]? {
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
