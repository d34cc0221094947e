import Synchronization

/// Who follows the log over HTTP, at most `limit` at a time.
final class Followers: Sendable {
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

    /// A new follower, whose place is free again when it is let go of; nil when there are too many.
    func join() -> Follower? {
        let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard state.wakers.count < limit else { return nil }
            state.next += 1
            state.wakers[state.next] = waker
            return state.next
        }
        return id.map { Follower(id: $0, wakes: wakes, followers: self) }
    }

    /// Tells all of them that it is time to look, or to say that they are still there.
    func wake() {
        state.withLock { state in
            for waker in state.wakers.values { waker.yield() }
        }
    }

    fileprivate func end(_ id: UInt64) {
        // Outside the lock: the stream's own may be held by who iterates it.
        state.withLock { $0.wakers.removeValue(forKey: id) }?.finish()
    }
}

/// A place among the followers.
final class Follower: Sendable {
    private let id: UInt64
    /// Ends with `end()`.
    let wakes: AsyncStream<Void>
    private let followers: Followers

    fileprivate init(id: UInt64, wakes: AsyncStream<Void>, followers: Followers) {
        self.id = id
        self.wakes = wakes
        self.followers = followers
    }

    deinit {
        end()
    }

    func end() {
        followers.end(id)
    }
}
