import HTTPTypes
import LedgerServer
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@Suite struct RequestDeadlineTests {
    private static let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"))

    private static func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestDeadline(.seconds(10)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return channel
    }

    @Test func `a request that drips is dropped when its time is over, however lively it is`() throws {
        let channel = try Self.channel()
        try channel.writeInbound(Self.head)
        for _ in 0..<9 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `a request that has come whole is left alone`() throws {
        let channel = try Self.channel()
        try channel.writeInbound(Self.head)
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(100))
        #expect(channel.isActive)
    }

    @Test func `the next request has its own time`() throws {
        let channel = try Self.channel()
        for _ in 0..<3 {
            try channel.writeInbound(Self.head)
            channel.embeddedEventLoop.advanceTime(by: .seconds(9))
            try channel.writeInbound(HTTPRequestPart.end(nil))
        }
        #expect(channel.isActive)
        try channel.writeInbound(Self.head)
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(!channel.isActive)
    }
}
