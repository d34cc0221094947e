package import LedgerStorage
import Synchronization

/// The statistics of the appends since the log was opened.
package final class AppendStatistics: Sendable {
    private let counts = Mutex<[EventKind: UInt64]>([:])
    /// The time from the call to its answer after the durable commit, including the wait.
    package let durations = DurationHistogram()

    init() {}

    package var byKind: [EventKind: UInt64] { counts.withLock { $0 } }

    func count(_ events: some Sequence<Record>) {
        counts.withLock { counts in
            for event in events { counts[event.kind, default: 0] += 1 }
        }
    }
}
