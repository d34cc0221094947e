import LedgerConfiguration
import LedgerServer
import Logging
import Primitives
import Synchronization

/// The captured log of a server, down to the trace level.
final class CapturedLog: Sendable {
    private let captured = Mutex<[String]>([])

    var lines: [String] { captured.withLock { $0 } }

    func logger(_ format: Settings.Logging.Format = .json) -> Logger {
        var settings = Settings.Logging()
        settings.level = .trace
        settings.format = format
        return Logger(label: "test") { _ in
            LineLogHandler(settings, clock: { Instant(milliseconds: 0) }) { line in
                self.captured.withLock { $0.append(line) }
            }
        }
    }
}
