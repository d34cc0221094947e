import Synchronization

/// The subscribers that follow the log over HTTP, at most `limit` at a time.
final class Subscribers: Sendable {
    private struct State {
        var next: UInt64 = 0
        var wakers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { state.withLock { $0.wakers.count } }

    /// Returns a new subscriber; nil when there are too many. Its place becomes free when it is released.
    func join() -> Subscriber? {
        let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard state.wakers.count < limit else { return nil }
            state.next += 1
            state.wakers[state.next] = waker
            return state.next
        }
        return id.map { Subscriber(id: $0, wakes: wakes, subscribers: self) }
    }

    /// Wakes all subscribers, so that each sends its new rows or a comment.
    func wake() {
        // Outside the lock: a yield waits for a cancellation of the subscriber's task that is in progress, which may end
        // the subscriber.
        for waker in state.withLock({ Array($0.wakers.values) }) { waker.yield() }
    }

    fileprivate func end(_ id: UInt64) {
        // Outside the lock: `finish` takes the stream's own lock, which an iterating task may hold.
        state.withLock { $0.wakers.removeValue(forKey: id) }?.finish()
    }
}

/// A place among the subscribers.
final class Subscriber: Sendable {
    private let id: UInt64
    /// A stream that yields when there may be new rows. It ends with `end()`.
    let wakes: AsyncStream<Void>
    private let subscribers: Subscribers

    fileprivate init(id: UInt64, wakes: AsyncStream<Void>, subscribers: Subscribers) {
        self.id = id
        self.wakes = wakes
        self.subscribers = subscribers
    }

    deinit {
        end()
    }

    func end() {
        subscribers.end(id)
    }
}
