import SubscriptionLedger
import Synchronization

/// A line on the terminal with the stage of an audit, its rate and the remaining time.
final class AuditProgressBar: Sendable {
    private let started = Mutex((stage: AuditProgress.Stage?.none, at: ContinuousClock.now))

    func show(_ progress: AuditProgress) {
        let seconds = started.withLock { started in
            if started.stage != progress.stage { started = (progress.stage, .now) }
            return (ContinuousClock.now - started.at) / .seconds(1)
        }
        var line = "\r\u{1B}[K\(progress.stage.rawValue): \(progress.done)"
        if let total = progress.total, total > 0 {
            line += " of \(total)"
            if seconds > 0, progress.done > 0 {
                let rate = Double(progress.done) / seconds
                let left = Double(total - min(progress.done, total)) / rate
                line += ", \(Int(left.rounded(.up))) s left"
            }
        }
        Terminal.standardError.write(line)
    }

    func clear() {
        Terminal.standardError.write("\r\u{1B}[K")
    }
}
