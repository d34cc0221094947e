import Primitives

/// The processes that share the clock. Each learns of an instant before anything that happened by then is delivered to
/// it.
struct ClockFollowers {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The number of followers that were notified of the newest instant and have not asked for the next.
    private(set) var behind = 0
    private var barrier: CheckedContinuation<Void, Never>?

    /// A follower asks for an instant after the newest.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
        behind = max(0, behind - 1)
        if behind == 0 { barrier.take()?.resume() }
    }

    /// Resumes all that wait.
    mutating func notify() {
        behind = waiting.count
        let notified = waiting
        waiting = []
        for continuation in notified { continuation.resume() }
    }

    /// Resumes once every follower notified of the newest instant has asked for the next.
    mutating func awaitAll(_ continuation: CheckedContinuation<Void, Never>) {
        guard behind > 0, barrier == nil else { return continuation.resume() }
        barrier = continuation
    }

    /// Gives up on those that do not ask again: they have ended.
    mutating func giveUp() {
        behind = 0
        barrier.take()?.resume()
    }
}
