import Synchronization

/// The limits of a rebuild, and its progress.
package struct RebuildOptions: Sendable {
    /// The minimum value of `memory`.
    package static let leastMemory = 1 << 23

    /// Memory for the index and for sorting, in bytes; larger data uses temporary files.
    package var memory = 768 << 20
    /// The number of threads; one per processor by default.
    package var workers = Workers.processorCount
    /// Called several times a second on the calling thread.
    package var report: (@Sendable (RebuildProgress) -> Void)?

    package init() {}
}

/// The progress of a phase.
package struct RebuildProgress: Sendable {
    package enum Phase: String, Sendable {
        /// Reading the headers of all facts; in events.
        case reading
        /// Folding the facts of each unit; in events.
        case folding
        /// Writing the rows; in keys.
        case writing
    }

    package let phase: Phase
    package let done: UInt64
    package let total: UInt64

    package init(_ phase: Phase, done: UInt64, total: UInt64) {
        (self.phase, self.done, self.total) = (phase, done, total)
    }
}

/// Counts the work done. Any thread may add to it.
final class RebuildMeter: Sendable {
    private let reportProgress: (@Sendable (RebuildProgress) -> Void)?
    private let done = Atomic<UInt64>(0)
    private let phase = Mutex((phase: RebuildProgress.Phase.reading, total: UInt64(0)))

    init(_ report: (@Sendable (RebuildProgress) -> Void)?) {
        reportProgress = report
    }

    func begin(_ phase: RebuildProgress.Phase, total: UInt64) {
        self.phase.withLock { $0 = (phase, total) }
        done.store(0, ordering: .relaxed)
        report()
    }

    func add(_ count: UInt64) {
        done.add(count, ordering: .relaxed)
    }

    func report() {
        guard let reportProgress else { return }
        let (phase, total) = phase.withLock { $0 }
        reportProgress(RebuildProgress(phase, done: done.load(ordering: .relaxed), total: total))
    }
}
