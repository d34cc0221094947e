import Primitives
import Synchronization

/// A monotonic clock that only tests advance.
final class TestTime: Sendable {
    private let state = Mutex((instant: ContinuousClock.now, step: Duration.zero))

    var now: ContinuousClock.Instant {
        state.withLock { state in
            defer { state.instant += state.step }
            return state.instant
        }
    }

    func advance(by duration: Duration) {
        state.withLock { $0.instant += duration }
    }

    func advanceWithEachReading(by step: Duration) {
        state.withLock { $0.step = step }
    }
}

/// A clock that tests set.
final class TestClock: Sendable {
    private let instant: Mutex<Instant>

    init(_ instant: Instant) {
        self.instant = Mutex(instant)
    }

    var now: Instant {
        get { instant.withLock { $0 } }
        set { instant.withLock { $0 = newValue } }
    }
}
