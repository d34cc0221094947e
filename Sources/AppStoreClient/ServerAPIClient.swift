package import AppStoreModel
package import AsyncHTTPClient
package import FoundationEssentials
import NIOCore
import NIOHTTP1
package import Primitives

/// Calls the App Store Server API for one app in one environment.
package actor ServerAPIClient {
    package struct Configuration: Sendable {
        package var baseURL: String
        /// The real time from a call to the end of its answer.
        package var timeout = Duration.seconds(30)
        /// How often a call is made before its failure counts.
        package var attempts = 4
        /// The wait before the second attempt; it doubles with each.
        package var firstWait = Duration.seconds(1)
        /// The clock of the ledger, for the waits that Apple asks for.
        package var clock: @Sendable () -> Instant
        /// The clock of this machine, for tokens.
        package var wallClock: @Sendable () -> Date = { Date() }

        package init(
            _ environment: Environment, baseURL: String? = nil, clock: @escaping @Sendable () -> Instant
        ) {
            self.baseURL = baseURL ?? Self.baseURL(of: environment)
            self.clock = clock
        }

        /// https://developer.apple.com/documentation/appstoreserverapi
        private static func baseURL(of environment: Environment) -> String {
            environment == .production ? "https://api.storekit.apple.com" : "https://api.storekit-sandbox.apple.com"
        }
    }

    /// The behaviour of the transport: no redirects, which would pass the token on, and no second connection to a server
    /// that refuses one.
    package static var transportConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private let configuration: Configuration
    private let credentials: ServerAPICredentials
    private let transport: HTTPClient
    private var token: (text: String, expiresAt: Date)?

    /// The longest answer: a page of 20 transactions, each below 256 KiB.
    private static let answerLimit = 8 * 1_024 * 1_024
    /// The seconds before its end at which a token is replaced.
    private static let margin = 300.0

    package init(_ credentials: ServerAPICredentials, _ configuration: Configuration, transport: HTTPClient) {
        self.configuration = configuration
        self.credentials = credentials
        self.transport = transport
    }

    /// Makes a call, again where a repetition may help, each time after a longer wait.
    /// - Parameter mayRepeat: whether the call may be repeated, asked before each repetition.
    /// - Returns: Apple's answer, also an error with a code that no repetition cured.
    /// - Throws: `ServerAPIFailure`, when there is no answer; `CancellationError`.
    package func send(
        _ request: ServerAPIRequest, mayRepeat: @Sendable () -> Bool = { true }
    ) async throws -> ServerAPIReply {
        var wait = configuration.firstWait
        var attempt = 1
        while true {
            func isRepeated() -> Bool {
                attempt < configuration.attempts && mayRepeat()
            }
            do {
                let reply = try await sendAuthorized(request)
                guard reply.isRetryable, isRepeated() else { return reply }
            } catch let failure as ServerAPIFailure {
                guard case .unavailable = failure, isRepeated() else { throw failure }
            }
            // Half of the wait is random, so that callers who failed together do not return together.
            try await Task.sleep(for: wait * Double.random(in: 0.5...1))
            wait *= 2
            attempt += 1
        }
    }

    /// Makes a call once. After 401, makes it once more with a new token.
    private func sendAuthorized(_ request: ServerAPIRequest) async throws -> ServerAPIReply {
        let first = try await call(request, token: try await currentToken())
        guard first.status == .unauthorized else { return try reply(first, to: request) }
        token = nil
        let second = try await call(request, token: try await currentToken())
        guard second.status == .unauthorized else { return try reply(second, to: request) }
        token = nil
        if let skew = Self.skew(second.headers.first(name: "Date"), now: configuration.wallClock()) {
            throw ServerAPIFailure.clockSkew(seconds: skew)
        }
        throw ServerAPIFailure.unauthorized
    }

    private func reply(_ response: Response, to request: ServerAPIRequest) throws -> ServerAPIReply {
        if response.status == .tooManyRequests {
            let field = response.headers.first(name: "Retry-After")
            throw ServerAPIFailure.rateLimited(until: RetryAfter.instant(field, now: configuration.clock()))
        }
        do {
            return try ServerAPIReply.read(response.body, status: Int(response.status.code), of: request)
        } catch {
            throw ServerAPIFailure.unavailable(found: error.found)
        }
    }

    private func currentToken() async throws -> String {
        let now = configuration.wallClock()
        if let token, token.expiresAt.timeIntervalSince(now) > Self.margin { return token.text }
        let made = try await credentials.token(now: now)
        token = made
        return made.text
    }

    private struct Response: Sendable {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let body: [UInt8]
    }

    private func call(_ request: ServerAPIRequest, token: String) async throws -> Response {
        var message = HTTPClientRequest(url: configuration.baseURL + request.target)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        message.headers.add(name: "Authorization", value: "Bearer \(token)")
        message.headers.add(name: "Accept", value: "application/json")
        if let body = request.body {
            message.headers.add(name: "Content-Type", value: "application/json")
            message.body = .bytes(ByteBuffer(string: body.serialized()))
        }
        do {
            let timeout = TimeAmount.nanoseconds(Int64(configuration.timeout / .nanoseconds(1)))
            let response = try await transport.execute(message, timeout: timeout)
            let body = try await response.body.collect(upTo: Self.answerLimit)
            return Response(
                status: response.status, headers: response.headers, body: Array(body.readableBytesView))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ServerAPIFailure.unavailable(found: "\(error)")
        }
    }

    /// Returns by how many seconds this machine's clock is ahead; nil up to a minute, and for an unreadable date.
    package static func skew(_ field: String?, now: Date) -> Int64? {
        guard let field, let date = HTTPDate.date(field) else { return nil }
        let seconds = now.timeIntervalSince(date)
        return abs(seconds) >= 60 ? Int64(seconds) : nil
    }
}

extension ServerAPIRequest {
    /// The path with its query.
    package var target: String {
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(separator: "&")
    }
}
