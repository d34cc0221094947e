package import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Connections of HTTP/1.1 that are closed even if the server is cancelled before it serves them.
///
/// NIO traps when an accepted connection is released and nobody closed it. That happens to a connection that arrives
/// while the server is cancelled (https://github.com/apple/swift-nio/issues/2637).
struct ClosedConnections: ServerChildChannel {
    let http: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
        http.setup(channel: channel, logger: logger).map { Connection($0) }
    }

    func handle(value connection: Connection, logger: Logger) async {
        connection.isServed.store(true, ordering: .relaxed)
        await http.handle(value: connection.http, logger: logger)
    }

    final class Connection: ServerChildChannelValue {
        let http: HTTP1Channel.Value
        let isServed = Atomic(false)

        init(_ http: HTTP1Channel.Value) {
            self.http = http
        }

        var channel: any Channel { http.channel }

        deinit {
            guard !isServed.load(ordering: .relaxed) else { return }
            Task { [http] in try? await http.executeThenClose { _, _ in } }
        }
    }
}

extension HTTPServerBuilder {
    /// A server of HTTP/1.1 that closes every connection, also those that arrive while it is cancelled.
    package static func closingAll(_ configuration: HTTP1Channel.Configuration = .init()) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            ClosedConnections(http: HTTP1Channel(responder: responder, configuration: configuration))
        }
    }
}
