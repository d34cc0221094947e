import ProjectionRuntime
import Synchronization

/// A line on the terminal with the share, the rate and the remaining time of a phase.
final class RebuildProgressBar: Sendable {
    private let started = Mutex((phase: RebuildProgress.Phase?.none, at: ContinuousClock.now))

    func show(_ progress: RebuildProgress) {
        let seconds = started.withLock { started in
            if started.phase != progress.phase { started = (progress.phase, .now) }
            return (ContinuousClock.now - started.at) / .seconds(1)
        }
        var line = "\r\u{1B}[K\(progress.phase.rawValue): \(progress.done) of \(progress.total)"
        if seconds > 0, progress.done > 0 {
            let rate = Double(progress.done) / seconds
            let left = Double(progress.total - min(progress.done, progress.total)) / rate
            line += ", \(Int(rate))/s, \(Int(left.rounded(.up))) s left"
        }
        Terminal.standardError.write(line)
    }

    func clear() {
        Terminal.standardError.write("\r\u{1B}[K")
    }
}
