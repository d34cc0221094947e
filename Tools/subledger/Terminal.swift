import Glibc
import Synchronization

/// An output stream of the process.
struct Terminal: Sendable {
    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Whether a person can answer questions.
    static var isInputInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    let descriptor: Int32

    /// The first `errno` of a failed write to standard output, except EPIPE.
    private static let failure = Mutex<Int32?>(nil)

    static var lostOutput: CommandFailure? {
        failure.withLock { $0 }.map {
            CommandFailure(
                code: $0 == ENOSPC ? "disk_full" : "io_error", message: "writing to standard output failed",
                found: String(cString: strerror($0)), exitCode: CommandFailure.io)
        }
    }

    var isInteractive: Bool { isatty(descriptor) == 1 }

    /// Writes text. A closed pipe is not a failure of the command; other failures on standard output are reported at
    /// its end.
    func write(_ text: String) {
        write(Array(text.utf8))
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = errno
                if descriptor == STDOUT_FILENO, error != EPIPE { Self.failure.withLock { $0 = $0 ?? error } }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
