import Synchronization

/// What became of the appends since the log was opened, for who watches over it.
package final class AppendStatistics: Sendable {
    private let counts = Mutex<[EventKind: UInt64]>([:])
    /// From the call to its answer after the durable commit, waiting included.
    package let durations = DurationHistogram()

    init() {}

    package var byKind: [EventKind: UInt64] { counts.withLock { $0 } }

    func count(_ events: some Sequence<Record>) {
        counts.withLock { counts in
            for event in events { counts[event.kind, default: 0] += 1 }
        }
    }
}
