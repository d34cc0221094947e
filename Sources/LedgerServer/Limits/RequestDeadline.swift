package import NIOCore
package import NIOHTTPTypes

/// Closes a connection whose request has not arrived completely within the deadline, however slowly the data arrives.
/// Most requests arrive in one read and set no timer.
///
/// Between requests, and while a head is incomplete, the idle timeout of the channel has the same effect.
package final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart

    private let deadline: TimeAmount
    private var isReading = false
    private var timer: Scheduled<Void>?

    package init(_ deadline: TimeAmount) {
        self.deadline = deadline
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: isReading = true
        case .body: break
        case .end: finish()
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if isReading, timer == nil {
            let channel = context.channel
            timer = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
        }
        context.fireChannelReadComplete()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        finish()
    }

    private func finish() {
        isReading = false
        timer?.cancel()
        timer = nil
    }
}
