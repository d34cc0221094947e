import HTTPConnections
import Hummingbird
import HummingbirdCore
import LedgerStorage
import Logging
import NIOCore
import ServiceLifecycle

/// Serves the writing commands of other processes at the socket in the data folder.
///
/// The socket is the owner's alone, and so is the folder's content. Its callers therefore have role admin and need no
/// key.
struct ControlService: Service {
    let socket: ControlSocket
    let responder: RouterResponder<LedgerRequestContext>
    let logger: Logger
    /// Called once the socket accepts connections.
    let onListening: @Sendable () -> Void

    func run() async throws {
        defer { socket.remove() }
        try await Application(
            responder: responder, server: .closingAll(Self.channel),
            // Binding removes the socket of a process that has ended. The lock of the folder excludes any other.
            configuration: ApplicationConfiguration(address: .unixDomainSocket(path: socket.address)),
            onServerRunning: { channel in
                guard socket.makePrivate() else { return channel.close(promise: nil) }
                onListening()
            }, logger: logger
        ).run()
    }

    /// Without a limit of time: the input of an ingest may be a pipe that pauses.
    private static var channel: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: ServerLimits.headerBytes, maxHeaderListSize: ServerLimits.headerBytes,
                maxHeaderFieldCount: ServerLimits.headerFields))
    }
}
