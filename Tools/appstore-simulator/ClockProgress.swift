import Glibc
import Primitives
import Synchronization

/// A line on the terminal with the day that the clock has reached, while it plays the simulated months.
final class ClockProgress: Sendable {
    private let start: Instant
    private let end: Instant
    private let shown = Mutex<Int64>(-1)

    init(from start: Instant, to end: Instant) {
        self.start = start
        self.end = end
    }

    func show(_ now: Instant) {
        guard isatty(STDERR_FILENO) == 1, end > start else { return }
        let whole = end.milliseconds - start.milliseconds
        let percent = min(100, (now.milliseconds - start.milliseconds) * 100 / whole)
        let isNews = shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
        guard isNews else { return }
        let bar =
            String(repeating: "#", count: Int(percent / 4))
            + String(repeating: ".", count: Int(25 - percent / 4))
        let line = "\r\u{1B}[K[\(bar)] \(now.iso8601.prefix(10))\(percent == 100 ? "\n" : "")"
        var text = Array(line.utf8)
        text.withUnsafeMutableBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
