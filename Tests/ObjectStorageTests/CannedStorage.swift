import AsyncHTTPClient
import HTTPConnections
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ObjectStorage
import Primitives
import Synchronization
import Testing

/// A server with prepared answers, in their order; the last one repeats.
final class CannedStorage: Sendable {
    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = ""

        /// An error with a code of S3.
        static func error(_ status: Int, _ code: String) -> Answer {
            Answer(
                status: status,
                body: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code></Error>")
        }
    }

    struct Call: Sendable {
        /// The method with the path and the query.
        let line: String
        let headers: HTTPFields
        let body: [UInt8]
    }

    static let secret = "0123456789abcdefghijklmnopqrstuvwxyz+/ABC"

    private let answers: Mutex<[Answer]>
    private let received = Mutex<[Call]>([])

    init(_ answers: [Answer]) { self.answers = Mutex(answers) }

    var calls: [Call] { received.withLock { $0 } }
    var lines: [String] { calls.map(\.line) }

    /// Runs `body` with a bucket at the server.
    func run<Value: Sendable>(
        sessionToken: String? = nil, _ body: @escaping @Sendable (S3Bucket) async throws -> Value
    ) async throws -> Value {
        let router = Router()
        for method in [HTTPRequest.Method.get, .head, .post, .put, .delete] {
            router.on("**", method: method) { request, _ in
                let bytes = Array(try await request.body.collect(upTo: 1 << 20).readableBytesView)
                return self.response(
                    to: Call(line: "\(request.method) \(request.uri)", headers: request.headers, body: bytes))
            }
        }
        let application = Application(
            router: router, server: .closingAll(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await application.test(.live) { server in
            try await body(try Self.bucket(port: try #require(server.port), sessionToken: sessionToken))
        }
    }

    private func response(to call: Call) -> Response {
        received.withLock { $0.append(call) }
        let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
    }

    private static let transport = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: S3Bucket.transportConfiguration)

    /// Returns a bucket whose uploads have parts of four bytes.
    static func bucket(port: Int, sessionToken: String? = nil) throws -> S3Bucket {
        let credentials = S3Credentials(accessKeyId: "AKID", secretAccessKey: secret, sessionToken: sessionToken)
        let address = try #require(S3Address(bucket: "warehouse", endpoint: "http://127.0.0.1:\(port)"))
        var configuration = S3Bucket.Configuration(address, S3Signer(credentials, region: "us-east-1")) {
            Instant(milliseconds: 1_800_000_000_000)
        }
        configuration.attempts = 3
        configuration.firstWait = .milliseconds(2)
        configuration.timeout = .seconds(5)
        configuration.partSize = 4
        return S3Bucket(configuration, transport: transport)
    }
}
