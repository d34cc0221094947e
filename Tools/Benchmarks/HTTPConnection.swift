import Glibc

/// A blocking HTTP/1.1 connection to the loopback interface. Its cost is negligible beside the server's.
final class HTTPConnection {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            // sockaddr_in is one form of sockaddr, and connect receives its size.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, connected == 0 else { throw BenchmarkFailure("the server cannot be reached") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// - Returns: the number of bytes in the body.
    /// - Throws: `BenchmarkFailure`, also for a status other than 200.
    func get(_ path: String) throws -> Int {
        let answer = try send(Self.get(path))
        guard answer.status == 200 else { throw BenchmarkFailure("the server answered \(answer.status)") }
        return answer.bodyByteCount
    }

    /// Returns the request for a path.
    static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    }

    /// Returns the request that posts JSON to a path.
    static func post(_ body: [UInt8], to path: String) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return head.utf8 + body
    }

    /// Sends a request and receives its answer.
    func send(_ request: [UInt8]) throws -> (status: Int, bodyByteCount: Int) {
        guard write(descriptor, request, request.count) == request.count else {
            throw BenchmarkFailure("the server hung up")
        }
        var count = 0
        while true {
            let received = read(descriptor, &buffer[count], buffer.count - count)
            guard received > 0 else { throw BenchmarkFailure("the server hung up") }
            count += received
            if let head = try Self.head(of: buffer[..<count]), count >= head.byteCount + head.bodyByteCount {
                return (head.status, head.bodyByteCount)
            }
        }
    }

    /// Returns a complete head: its length, and the status and the length of the body that it announces; nil while the
    /// head is incomplete.
    private static func head(
        of bytes: ArraySlice<UInt8>
    ) throws -> (byteCount: Int, status: Int, bodyByteCount: Int)? {
        let lines = bytes.prefix(1_024).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let end = lines.firstIndex(of: [UInt8(ascii: "\r")]) else { return nil }
        let fields = lines[..<end].map { String(decoding: $0.dropLast(), as: UTF8.self) }
        guard fields[0].hasPrefix("HTTP/1.1 "), let status = Int(fields[0].dropFirst(9).prefix(3)),
            let length = fields.first(where: { $0.lowercased().hasPrefix("content-length: ") })?.split(separator: " ")
                .last,
            let body = Int(length)
        else { throw BenchmarkFailure("the server answered \(fields[0])") }
        return (lines[...end].reduce(0) { $0 + $1.count + 1 }, status, body)
    }
}
