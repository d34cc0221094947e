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
    func get(_ path: String) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        try #require(write(descriptor, request, request.count) == request.count)
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { response += buffer[..<count] }
        return String(decoding: response, as: UTF8.self)
    }
}
