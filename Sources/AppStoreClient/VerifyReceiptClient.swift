package import AppStoreModel
package import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
package import Primitives

/// Asks verifyReceipt about receipts of one app.
/// https://developer.apple.com/documentation/appstorereceipts/verifyreceipt
package struct VerifyReceiptClient: Sendable {
    package struct Configuration: Sendable {
        package var productionURL = "https://buy.itunes.apple.com/verifyReceipt"
        package var sandboxURL = "https://sandbox.itunes.apple.com/verifyReceipt"
        /// The real time from a call to the end of its answer.
        package var timeout = Duration.seconds(30)
        /// The clock of the ledger, for the waits that Apple asks for.
        package var clock: @Sendable () -> Instant

        /// - Parameters:
        ///   - url: the URL for both environments; nil for Apple's.
        ///   - sandboxURL: the URL for the sandbox alone; nil for `url`.
        package init(url: String? = nil, sandboxURL: String? = nil, clock: @escaping @Sendable () -> Instant) {
            if let url { (productionURL, self.sandboxURL) = (url, url) }
            if let sandboxURL { self.sandboxURL = sandboxURL }
            self.clock = clock
        }
    }

    private let configuration: Configuration
    /// Nil for an app without auto-renewable subscriptions.
    private let secret: String?
    private let transport: HTTPClient

    private static let answerLimit = 32 * 1_024 * 1_024

    package init(secret: String?, _ configuration: Configuration, transport: HTTPClient) {
        (self.secret, self.configuration, self.transport) = (secret, configuration, transport)
    }

    /// Asks about a receipt in its environment. Where Apple says that the receipt is of the other one, asks there, once.
    /// - Throws: `ServerAPIFailure` when there is no answer; `CancellationError`.
    package func send(_ question: VerifyReceiptRequest) async throws -> VerifyReceiptReply {
        let reply = try await call(question, question.environment)
        guard let other = reply.environmentOfReceipt, other != question.environment else { return reply }
        return try await call(question, other)
    }

    private func call(_ question: VerifyReceiptRequest, _ environment: Environment) async throws -> VerifyReceiptReply {
        let url = environment == .production ? configuration.productionURL : configuration.sandboxURL
        var message = HTTPClientRequest(url: url)
        message.method = .POST
        message.headers.add(name: "Content-Type", value: "application/json")
        message.headers.add(name: "Accept", value: "application/json")
        message.body = .bytes(ByteBuffer(string: question.body(secret: secret).serialized()))
        let response: HTTPClientResponse
        let bytes: [UInt8]
        do {
            let timeout = TimeAmount.nanoseconds(Int64(configuration.timeout / .nanoseconds(1)))
            response = try await transport.execute(message, timeout: timeout)
            bytes = Array(try await response.body.collect(upTo: Self.answerLimit).readableBytesView)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The error of a transport never contains the body that was sent.
            throw ServerAPIFailure.unavailable(found: "\(error)")
        }
        if response.status == .tooManyRequests {
            let field = response.headers.first(name: "Retry-After")
            throw ServerAPIFailure.rateLimited(until: RetryAfter.instant(field, now: configuration.clock()))
        }
        guard response.status == .ok, let document = try? JSONDocument(parsing: bytes),
            let answer = VerifyReceiptAnswer(document.root)
        else { throw ServerAPIFailure.unavailable(found: "status \(response.status.code) without an answer") }
        return VerifyReceiptReply(
            answer, bytes, of: environment,
            date: response.headers.first(name: "Date").flatMap(HTTPDate.date).map {
                Instant(milliseconds: Int64($0.timeIntervalSince1970 * 1_000))
            })
    }
}

/// A question about one receipt.
package struct VerifyReceiptRequest: Hashable, Sendable {
    /// In base64.
    package let receipt: String
    package let environment: Environment
    /// Whether the newest purchase of each subscription is enough.
    package let excludesOldTransactions: Bool

    package init(receipt: String, environment: Environment, excludesOldTransactions: Bool) {
        (self.receipt, self.environment) = (receipt, environment)
        self.excludesOldTransactions = excludesOldTransactions
    }

    fileprivate func body(secret: String?) -> JSONValue {
        var members: [JSONValue.Member] = [.init("receipt-data", .string(receipt))]
        if let secret { members.append(.init("password", .string(secret))) }
        if excludesOldTransactions { members.append(.init("exclude-old-transactions", .bool(true))) }
        return .object(members)
    }
}

/// An answer of verifyReceipt.
package struct VerifyReceiptReply: Sendable {
    package let answer: VerifyReceiptAnswer
    /// The body as Apple sent it.
    package let bytes: [UInt8]
    /// The environment that was asked.
    package let environment: Environment
    /// The date of the reply.
    package let date: Instant?

    package init(_ answer: VerifyReceiptAnswer, _ bytes: [UInt8], of environment: Environment, date: Instant?) {
        (self.answer, self.bytes, self.environment, self.date) = (answer, bytes, environment, date)
    }

    /// The consequence of the status.
    /// https://developer.apple.com/documentation/appstorereceipts/status
    package enum Outcome: Hashable, Sendable {
        case answered
        /// A later question may succeed.
        case retryable
        /// Apple cannot read the receipt now. After three times it counts as refused.
        case unreadable
        /// The receipt is of no use.
        case refused
        /// The request or its secret is wrong, which an operator has to correct.
        case misconfigured
    }

    package var outcome: Outcome {
        switch answer.status {
        case 0, 21_006: .answered
        case 21_000, 21_004: .misconfigured
        case 21_002: .unreadable
        case 21_005, 21_009: .retryable
        case 21_100...21_199: answer.isRetryable ? .retryable : .refused
        default: .refused
        }
    }

    /// The environment of a receipt that was sent to the other one. Whatever else such an answer contains is ignored.
    fileprivate var environmentOfReceipt: Environment? {
        switch answer.status {
        case 21_007: .sandbox
        case 21_008: .production
        default: nil
        }
    }
}
