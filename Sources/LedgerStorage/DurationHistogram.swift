import Synchronization

/// A histogram of durations.
package final class DurationHistogram: Sendable {
    /// Upper bounds in seconds, from the duration of an append on a fast disk to the deadlines of callers.
    package static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    package struct Snapshot: Hashable, Sendable {
        /// The number of durations per bound, at or below it and above the previous one; then those above all bounds.
        package fileprivate(set) var counts = [UInt64](repeating: 0, count: DurationHistogram.bounds.count + 1)
        package fileprivate(set) var sum = Duration.zero
    }

    private let state = Mutex(Snapshot())

    package init() {}

    package func observe(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        let index = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += duration
        }
    }

    package var snapshot: Snapshot { state.withLock { $0 } }
}
