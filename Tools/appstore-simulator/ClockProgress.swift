import Glibc
import Primitives
import Synchronization

/// A line on the terminal with the day that the clock has reached, while it plays to an instant.
final class ClockProgress: Sendable {
    private struct State {
        var start: Instant?
        var percent: Int64 = -1
    }

    private static let width: Int64 = 40
    private let state = Mutex(State())

    func show(_ now: Instant, playingTo goal: Instant?) {
        guard isatty(STDERR_FILENO) == 1, let line = line(now, goal) else { return }
        // The buffer outlives the call, which only reads it.
        Array(line.utf8).withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Returns nil when the line stays as it is.
    private func line(_ now: Instant, _ goal: Instant?) -> String? {
        state.withLock { state in
            guard let goal else {
                defer { state = State() }
                return state.start == nil ? nil : "\r\u{1B}[K"
            }
            let start = state.start ?? now
            state.start = start
            let whole = max(1, goal.milliseconds - start.milliseconds)
            let percent = (now.milliseconds - start.milliseconds) * 100 / whole
            guard percent != state.percent else { return nil }
            state.percent = percent
            let done = Int(percent * Self.width / 100)
            let bar = String(repeating: "#", count: done) + String(repeating: ".", count: Int(Self.width) - done)
            return "\r\u{1B}[K[\(bar)] \(now.iso8601.prefix(10))"
        }
    }
}
