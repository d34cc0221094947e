import Glibc
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

/// Runs the audit in a child process, so that a crash or a hang on a damaged file becomes a finding.
///
/// The child writes one line of JSON per progress report, and its findings as the last line.
enum AuditSupervision {
    /// The silence after which the child is considered hung. A batch of events takes milliseconds.
    private static let silenceLimitMilliseconds: Int32 = 120_000

    static func send(_ progress: AuditProgress) {
        var members: [JSONValue.Member] = [
            .init("stage", .string(progress.stage.rawValue)), .init("at", .integer(Int64(clamping: progress.done))),
        ]
        if let total = progress.total { members.append(.init("of", .integer(Int64(clamping: total)))) }
        Terminal.standardOutput.write(JSONValue.object(members).serialized() + "\n")
    }

    static func send(_ report: AuditReport) {
        Terminal.standardOutput.write(JSONValue.object(report.members).serialized() + "\n")
    }

    /// - Throws: `ExitFailure` with the exit code of a child that fails; `io_error` when the child cannot start.
    static func run(arguments: [String], progress: (AuditProgress) -> Void) throws -> AuditReport {
        let child = try Child(arguments: arguments)
        var last: AuditProgress?
        var report: AuditReport?
        let isSilent = child.lines(silenceLimit: silenceLimitMilliseconds) { line in
            guard let message = try? JSONDocument(parsing: line).root else { return }
            if let reached = AuditProgress(message) {
                last = reached
                progress(reached)
            } else {
                report = AuditReport(json: message)
            }
        }
        let ending = child.end(kill: isSilent)
        if let report, ending == .exited(0) { return report }
        switch ending {
        case .exited(let code) where !isSilent: throw ExitFailure(code: code)
        case .signalled(let signal) where !isSilent: return failure("was terminated by signal \(signal)", last)
        default: return failure("stopped responding", last)
        }
    }

    /// The failure of the child, which has already reported its error.
    struct ExitFailure: Error {
        let code: Int32
    }

    private static func failure(_ what: String, _ last: AuditProgress?) -> AuditReport {
        let position = last?.stage == .events ? last?.done ?? 0 : 0
        let place =
            switch last?.stage {
            case nil, .pages, .events: "near position \(position)"
            case .some(let stage): "while it verified the \(stage.rawValue)"
            }
        var report = AuditReport(firstBad: .structure(what: "the audit process \(what) \(place)"))
        report.events = position
        return report
    }
}

extension AuditProgress {
    /// Reads a line of the child; nil for a report.
    fileprivate init?(_ message: JSONView) {
        guard let stage = message["stage"]?.string.flatMap(Stage.init), let at = message["at"]?.integer else {
            return nil
        }
        self.init(stage, done: UInt64(clamping: at), total: message["of"]?.integer.map { UInt64(clamping: $0) })
    }
}

/// A child process of this program, whose standard output is read through a pipe.
private struct Child {
    enum Ending: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    private let pid: pid_t
    private let output: Int32

    init(arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Self.failure() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var strings = ([CommandLine.arguments.first ?? "subledger"] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var child = pid_t()
        let result = posix_spawn(&child, "/proc/self/exe", &actions, nil, &strings, environ)
        close(ends[1])
        guard result == 0 else {
            close(ends[0])
            throw Self.failure()
        }
        pid = child
        output = ends[0]
    }

    private static func failure() -> StorageError {
        StorageError(.ioError, "the audit process cannot start")
    }

    /// - Returns: whether the child was silent for the limit; false at the end of its output.
    func lines(silenceLimit: Int32, _ body: ([UInt8]) -> Void) -> Bool {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, silenceLimit)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return true }
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            for byte in buffer[..<count] {
                if byte == UInt8(ascii: "\n") {
                    body(line)
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
    }

    func end(kill isKilled: Bool) -> Ending {
        close(output)
        if isKilled { kill(pid, SIGKILL) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        // See the macros of wait(2): the low seven bits contain the signal, the next byte the exit code.
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
