import Glibc

/// What is going on, for whoever waits: one line on standard error, rewritten on a terminal.
struct Progress: Sendable {
    let row: String

    func report(_ step: String) {
        write(isatty(STDERR_FILENO) == 1 ? "\r\u{1B}[K\(row): \(step)" : "\(row): \(step)\n")
    }

    func finish() {
        if isatty(STDERR_FILENO) == 1 { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        // Progress that cannot be written is not worth failing for.
        _ = text.utf8.withContiguousStorageIfAvailable { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
