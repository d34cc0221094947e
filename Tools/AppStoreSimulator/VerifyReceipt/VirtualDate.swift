import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Primitives

/// Writes the time of the store as the date of an answer. By itself, the server writes the real time.
final class VirtualDate: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let date = head.headerFields[.virtualDate] else {
            context.write(data, promise: promise)
            return
        }
        head.headerFields[.virtualDate] = nil
        head.headerFields[.date] = date
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

extension HTTPFields {
    /// Sets the date that `VirtualDate` writes.
    mutating func setDate(_ instant: Instant) { self[.virtualDate] = instant.httpDate }
}

extension HTTPField.Name {
    fileprivate static let virtualDate: HTTPField.Name = {
        guard let name = HTTPField.Name("X-Virtual-Date") else { preconditionFailure("it is a token (RFC 9110 §5.1)") }
        return name
    }()
}

extension Instant {
    /// The form of RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
    fileprivate var httpDate: String {
        let date = CivilDate(of: self)
        // 1970-01-01 was a Thursday.
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(date.daysSinceEpoch % 7)]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = date.day < 10 ? "0\(date.day)" : "\(date.day)"
        let time = iso8601.dropFirst(11).prefix(8)
        return "\(weekday), \(day) \(months[Int(date.month) - 1]) \(date.year) \(time) GMT"
    }
}
