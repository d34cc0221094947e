import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Closes a connection whose request has not arrived completely within the deadline, however slowly the data arrives.
/// Most requests arrive in one read and set no timer. For an upload, the deadline is for each pause.
///
/// Between requests, and while a head is incomplete, the idle timeout of the channel has the same effect.
package final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart

    private let deadline: TimeAmount
    private let uploadPath: String?
    private var isReading = false
    private var isUpload = false
    private var timer: Scheduled<Void>?

    /// - Parameter path: the path of uploads, which may take as long as they need.
    package init(_ deadline: TimeAmount, pausing path: String? = nil) {
        self.deadline = deadline
        uploadPath = path
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (isReading, isUpload) = (true, uploadPath != nil && head.path == uploadPath)
        case .body: break
        case .end: finish()
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if isUpload {
            timer?.cancel()
            timer = nil
        }
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
