import FoundationEssentials
import Glibc
import Testing

/// A program started by a test. One socket is both its standard input and its standard output.
///
/// Not thread-safe.
final class ChildProcess {
    enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// The time without output after which a program counts as hanging, over ten times that of any step of a test.
    static let patience = Duration.seconds(240)

    let pid: pid_t
    private let socket: Int32
    private let errors: Int32
    private var unread: [UInt8] = []
    private var isAtEnd = false
    private var ending: Ending?

    /// - Parameters:
    ///   - program: the name of a program of this package, or the path of another one.
    ///   - environment: variables to add to those of the tests.
    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        // Created with close-on-exec, which pipe(2) cannot do: other tests start programs concurrently.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        socket = ends[0]
        errors = try Self.unnamedFile()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        let path = program.hasPrefix("/") ? program : try Self.folder() + "/" + program
        var strings = Self.cStrings([path] + arguments)
        var variables = Self.cStrings(Self.environment(adding: environment))
        defer { for string in strings + variables { free(string) } }
        var child = pid_t()
        let result = posix_spawn(&child, path, &actions, nil, &strings, &variables)
        close(ends[1])
        try #require(result == 0, "\(path) cannot be started: \(String(cString: strerror(result)))")
        pid = child
    }

    deinit {
        if ending == nil { _ = end(by: SIGKILL) }
        close(socket)
        close(errors)
    }

    /// Returns the folder of the package's programs, which is that of the test runner.
    static func folder() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        try #require(count > 0)
        let text = String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(text[..<(try #require(text.lastIndex(of: "/")))])
    }

    private static func unnamedFile() throws -> Int32 {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/errors-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        strings.map { strdup($0) } + [nil]
    }

    private static func environment(adding added: [String: String]) -> [String] {
        var variables = added.map { "\($0)=\($1)" }
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables
    }
}

extension ChildProcess {
    /// Returns the next line of its output without the newline; nil at the end of the output or at the deadline.
    func nextLine(before deadline: ContinuousClock.Instant = .now + patience) -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            guard !isAtEnd, receive(before: deadline) else { return nil }
        }
    }

    /// Returns all further output lines. If the program hangs, they end after `patience`.
    func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = nextLine() { lines.append(line) }
        return lines
    }

    /// - Returns: false if nothing was received before the deadline.
    private func receive(before deadline: ContinuousClock.Instant) -> Bool {
        let left = max(.zero, deadline - .now).components
        let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Int32(clamping: milliseconds)) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &buffer, buffer.count)
        if count > 0 { unread += buffer[..<count] } else { isAtEnd = true }
        return true
    }

    func send(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        // MSG_NOSIGNAL: a program that has ended must not raise SIGPIPE here; its ending is checked instead.
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func closeInput() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// The first 64 KiB of its standard error.
    var standardError: String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = pread(errors, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Sends it `signal`, if there is one, and waits for its end.
    func end(by signal: Int32? = nil) -> Ending {
        if let ending { return ending }
        if let signal { kill(pid, signal) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        // The macros of wait(2): the low seven bits are the signal, the byte above them the exit code.
        let signal = status & 0x7F
        let ending: Ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        self.ending = ending
        return ending
    }
}
