import Glibc
import Testing

/// A running `subledger serve`.
struct Service {
    let child: ChildProcess
    private let port: UInt16

    /// Starts the service on a free port and waits until it listens.
    init(_ data: String, _ options: [String] = []) throws {
        child = try ChildProcess("subledger", ["serve", "--data", data, "--port", "0"] + options)
        let line = try #require(child.nextLine(), "\(child.standardError)")
        port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) }, "\(line)")
    }

    func stop() throws {
        try #require(child.end(by: SIGTERM) == .exited(0), "\(child.standardError)")
    }

    /// Returns the response to a GET request, with its head.
    func get(_ path: String) throws -> String { try Loopback.get(path, port: port) }
}
