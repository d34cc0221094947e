import Glibc

/// The progress of a row: one line per step on standard error, rewritten in place on a terminal.
struct Progress: Sendable {
    let row: String

    func report(_ step: String) {
        write(isatty(STDERR_FILENO) == 1 ? "\r\u{1B}[K\(row): \(step)" : "\(row): \(step)\n")
    }

    func finish() {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        // A failure to write progress is ignored.
        _ = text.utf8.withContiguousStorageIfAvailable { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
