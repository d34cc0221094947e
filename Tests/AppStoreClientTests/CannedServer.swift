import AppStoreClient
import AppStoreModel
import AsyncHTTPClient
import Crypto
import FoundationEssentials
import HTTPConnections
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Primitives
import Synchronization
import Testing

/// A server with prepared answers, in their order; the last one repeats.
final class CannedServer: Sendable {
    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = #"{"signedTransactionInfo":"a.b.c"}"#
    }

    struct Call: Sendable {
        let method: String
        let target: String
        let token: String
        let body: String
    }

    private let answers: Mutex<[Answer]>
    private let received = Mutex<[Call]>([])

    init(_ answers: [Answer]) {
        self.answers = Mutex(answers)
    }

    var calls: [Call] { received.withLock { $0 } }

    private func next(_ call: Call) -> Answer {
        received.withLock { $0.append(call) }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }

    /// Runs `body` with a client of the server.
    @discardableResult
    func run<Value: Sendable>(
        attempts: Int = 3, clock: Instant = Instant(milliseconds: 1_800_000_000_000),
        secondsAhead: Double = 0, _ body: @escaping @Sendable (ServerAPIClient) async throws -> Value
    ) async throws -> Value {
        try await serve { url in
            try await body(
                try Self.client(baseURL: url, attempts: attempts, clock: clock, secondsAhead: secondsAhead))
        }
    }

    /// Runs `body` with the URL of the server.
    func serve<Value: Sendable>(_ body: @escaping @Sendable (String) async throws -> Value) async throws -> Value {
        let router = Router()
        for method in [HTTPRequest.Method.get, .post, .put] {
            router.on("**", method: method) { request, _ in
                let text = String(buffer: try await request.body.collect(upTo: 1 << 20))
                let answer = self.next(
                    Call(
                        method: request.method.rawValue, target: "\(request.uri)",
                        token: request.headers[.authorization] ?? "", body: text))
                var headers = HTTPFields()
                for (name, value) in answer.headers {
                    if let name = HTTPField.Name(name) { headers[name] = value }
                }
                return Response(
                    status: .init(code: answer.status), headers: headers,
                    body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
            }
        }
        let application = Application(
            router: router, server: .closingAll(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await application.test(.live) { server in
            let port = try #require(server.port)
            return try await body("http://127.0.0.1:\(port)")
        }
    }

    static let transport = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: ServerAPIClient.transportConfiguration)

    static func client(
        baseURL: String, attempts: Int = 3, clock: Instant = Instant(milliseconds: 1_800_000_000_000),
        secondsAhead: Double = 0, key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
    ) throws -> ServerAPIClient {
        let credentials = try ServerAPICredentials(
            issuerId: "5ab1ed6e-0000-4000-8000-000000000001", keyId: "SIMULATOR1", bundleId: "com.example.app",
            privateKeyPEM: key.pemRepresentation)
        var configuration = ServerAPIClient.Configuration(.production, baseURL: baseURL) { clock }
        configuration.attempts = attempts
        configuration.firstWait = .milliseconds(2)
        configuration.timeout = .seconds(5)
        configuration.wallClock = { Date().addingTimeInterval(secondsAhead) }
        return ServerAPIClient(credentials, configuration, transport: transport)
    }
}
