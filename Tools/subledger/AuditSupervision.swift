import EventLog
import Glibc
import Primitives

/// Runs the audit's walk in a child process, so that a crash or a hang on a damaged file is a finding and not an end.
///
/// The child writes a line of JSON at a time: how far it is, at last what it found.
enum AuditSupervision {
    /// A child that says nothing for so long hangs; a batch of events takes milliseconds.
    private static let silenceLimitMilliseconds: Int32 = 120_000

    static func send(_ position: UInt64) {
        Terminal.standardOutput.write("{\"at\":\(position)}\n")
    }

    static func send(_ report: AuditReport) {
        var members: [JSONValue.Member] = [
            .init("events", .integer(Int64(report.events))), .init("signatures", .integer(Int64(report.signatures))),
        ]
        switch report.firstBad {
        case nil: break
        case .event(let position, let what):
            members += [.init("position", .integer(Int64(position))), .init("what", .string(what))]
        case .structure(let what): members.append(.init("structure", .string(what)))
        }
        Terminal.standardOutput.write(JSONValue.object(members).serialized() + "\n")
    }

    /// - Throws: what the child could not do, under its exit code.
    static func run(arguments: [String], progress: (UInt64) -> Void) throws -> AuditReport {
        let child = try Child(arguments: arguments)
        var position: UInt64 = 0
        var report: AuditReport?
        let isSilent = child.lines(silenceLimit: silenceLimitMilliseconds) { line in
            guard let message = try? JSONDocument(parsing: line).root else { return }
            if let at = message["at"]?.integer {
                position = UInt64(at)
                progress(position)
            } else {
                report = Self.report(message)
            }
        }
        let ending = child.end(kill: isSilent)
        if let report, ending == .exited(0) { return report }
        switch ending {
        case .exited(let code) where !isSilent: throw ExitFailure(code: code)
        case .signalled(let signal) where !isSilent:
            return failure("the walk ended by signal \(signal) near position \(position)", position)
        default: return failure("the walk hung near position \(position)", position)
        }
    }

    /// The child has told its error itself.
    struct ExitFailure: Error {
        let code: Int32
    }

    private static func failure(_ what: String, _ position: UInt64) -> AuditReport {
        var report = AuditReport(firstBad: .structure(what: what))
        report.events = position
        return report
    }

    private static func report(_ message: JSONView) -> AuditReport {
        var report = AuditReport()
        report.events = UInt64(message["events"]?.integer ?? 0)
        report.signatures = UInt64(message["signatures"]?.integer ?? 0)
        if let what = message["structure"]?.string {
            report.firstBad = .structure(what: what)
        } else if let position = message["position"]?.integer {
            report.firstBad = .event(position: UInt64(position), what: message["what"]?.string ?? "")
        }
        return report
    }
}

/// A child of this program, its standard output read here.
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

    private static func failure() -> EventLogError {
        EventLogError(.ioError, "the audit's process cannot start")
    }

    /// - Returns: whether it said nothing for the limit; false at the end of its output.
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
        // The macros of wait(2): the low seven bits hold the signal, the byte above them the exit code.
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
