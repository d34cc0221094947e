import Glibc
import Synchronization

/// An output stream of the process.
struct Terminal: Sendable {
    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// The first `errno` of a write to standard output that failed.
    private static let failure = Mutex<Int32?>(nil)

    static var lostOutput: CommandFailure? {
        failure.withLock { $0 }.map {
            CommandFailure(
                code: $0 == ENOSPC ? "disk_full" : "io_error", message: "not all of the output was written",
                found: String(cString: strerror($0)), exitCode: CommandFailure.io)
        }
    }

    var isInteractive: Bool { isatty(descriptor) == 1 }

    /// A reader that went away (a closed pipe) is no failure of the command. Any other is told when the command ends.
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
