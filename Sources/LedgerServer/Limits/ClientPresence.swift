import NIOCore
import NIOHTTPTypes
import Primitives
import Synchronization

/// Whether the client of a connection is still there.
final class ClientPresence: Sendable {
    private let left = Atomic(false)

    var isGone: Bool { left.load(ordering: .relaxed) }

    fileprivate func leave() { left.store(true, ordering: .relaxed) }
}

/// The clients of the open connections.
final class Clients: Sendable {
    private let presences = Mutex<[ObjectIdentifier: ClientPresence]>([:])

    /// Returns nil for a channel that is no connection.
    func presence(at channel: any Channel) -> ClientPresence? {
        presences.withLock { $0[ObjectIdentifier(channel)] }
    }

    fileprivate func add(_ presence: ClientPresence, at channel: any Channel) {
        presences.withLock { $0[ObjectIdentifier(channel)] = presence }
    }

    fileprivate func remove(_ channel: any Channel) {
        _ = presences.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}

/// Notices that a client closes its connection while the service works on a request.
final class ClientObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let clients: Clients
    private let presence = ClientPresence()

    init(_ clients: Clients) {
        self.clients = clients
    }

    func handlerAdded(context: ChannelHandlerContext) {
        clients.add(presence, at: context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        presence.leave()
        clients.remove(context.channel)
    }

    /// A client that closes only its own direction can still read a fast answer, but no more work is done for it.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { presence.leave() }
        context.fireUserInboundEventTriggered(event)
    }
}

extension WorkLimit {
    /// Returns the limit of work that is useless without its client.
    /// - Parameter client: nil for no limit.
    static func presence(of client: ClientPresence?) -> WorkLimit {
        WorkLimit { client?.isGone == true ? .clientGone : nil }
    }
}
