import Glibc

/// A program that runs beside the benchmarks: one of this package, or one at an absolute path. Its standard output is read line by line.
final class ChildProcess {
    private let name: String
    private let output: Int32
    private var pid: pid_t?

    /// - Parameter errors: the file that standard error is appended to.
    init(_ program: String, _ arguments: [String], errors: String) throws {
        name = program
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchmarkFailure("\(program) cannot be started") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let path = try program.hasPrefix("/") ? program : Self.folder() + "/" + program
        var strings = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var child = pid_t()
        let result = posix_spawn(&child, path, &actions, nil, &strings, environ)
        close(ends[1])
        guard result == 0 else {
            close(output)
            throw BenchmarkFailure("\(path) cannot be started: \(String(cString: strerror(result)))")
        }
        pid = child
    }

    deinit {
        _ = end(by: SIGTERM)
        close(output)
    }

    /// Returns the next line of its output; nil at the end.
    func nextLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Reads its output to the end and waits for its success.
    func finish() throws {
        while nextLine() != nil {}
        guard end() == 0 else { throw BenchmarkFailure("\(name) failed") }
    }

    /// Sends it a signal, if one is given, and waits for its end.
    /// - Returns: its status as of wait(2).
    private func end(by signal: Int32? = nil) -> Int32 {
        guard let running = pid else { return 0 }
        pid = nil
        if let signal { kill(running, signal) }
        var status: Int32 = 0
        while waitpid(running, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Returns the folder of this program, which is that of the others.
    private static func folder() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let text = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = text.lastIndex(of: "/") else { throw BenchmarkFailure("/proc cannot be read") }
        return String(text[..<slash])
    }
}
