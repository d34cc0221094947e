import Glibc
import HTTPConnections
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

/// Delays the set-up of a connection, so that the server stops meanwhile.
private final class Slow: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    init() { usleep(3_000) }
}

@Suite(.timeLimit(.minutes(2))) struct StoppingTests {
    /// A server that trapped would end the process of the tests.
    @Test func `a server survives that clients connect while it is cancelled`() async throws {
        for _ in 0..<100 {
            let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
            let server = Application(
                router: Router(), server: .closingAll(.init(additionalChannelHandlers: [Slow()])),
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
            let running = Task { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            await withTaskGroup(of: Void.self) { clients in
                for _ in 0..<8 { clients.addTask { await Self.connectUntilRefused(port) } }
                try? await Task.sleep(for: .milliseconds(2))
                running.cancel()
            }
            _ = await running.result
        }
    }

    private static func connectUntilRefused(_ port: Int) async {
        let clients = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        while let channel = try? await clients.connect(host: "127.0.0.1", port: port).get() {
            try? await channel.close()
        }
    }
}
