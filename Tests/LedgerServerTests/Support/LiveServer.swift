import LedgerServer
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

/// A server on a loopback port, for tests that need a real connection.
struct LiveServer: Sendable {
    let port: Int
    private let group: ServiceGroup

    /// Runs `body` against the server, then stops it as a signal would.
    static func run<Value: Sendable>(
        _ server: LedgerServer, extraRoutes: [any Route] = [],
        _ body: @escaping @Sendable (LiveServer) async throws -> Value
    ) async throws -> Value {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let group = try server.serviceGroup(extraRoutes: extraRoutes) { continuation.yield($0) }
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(LiveServer(port: port, group: group)))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    func stop() async {
        await group.triggerGracefulShutdown()
    }

    /// Opens a connection for `body`.
    /// - Parameter socket: the path of a Unix socket; nil for the port.
    func connect<Value: Sendable>(
        socket: String? = nil, _ body: @escaping @Sendable (inout Connection) async throws -> Value
    ) async throws -> Value {
        let address =
            try socket.map { try SocketAddress(unixDomainSocketPath: $0) }
            ?? SocketAddress(ipAddress: "127.0.0.1", port: port)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = Connection(bytes: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }
}

/// A connection that exchanges raw bytes.
struct Connection {
    private var bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    /// The received text that has not been read.
    private var text = ""

    init(
        bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.bytes = bytes
        self.outbound = outbound
    }

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    func get(_ uri: String, _ fields: String = "") async throws {
        try await send("GET \(uri) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
    }

    /// Reads up to and including `mark`; returns nil if the connection ends before it.
    mutating func read(through mark: String) async throws -> String? {
        while true {
            if let range = text.firstRange(of: mark) {
                let read = String(text[..<range.upperBound])
                text = String(text[range.upperBound...])
                return read
            }
            guard let more = try await bytes.next(isolation: #isolation) else { return nil }
            text += String(buffer: more)
        }
    }

    /// Reads until the server closes the connection.
    mutating func readToEnd() async throws -> String {
        while let more = try await bytes.next(isolation: #isolation) { text += String(buffer: more) }
        defer { text = "" }
        return text
    }
}
