package import Primitives

/// An answer of the App Store Server API: the endpoint's own shape, or an error with Apple's code.
package struct ServerAPIReply: Sendable {
    package enum Outcome: Hashable, Sendable {
        case success
        /// https://developer.apple.com/documentation/appstoreserverapi/error-codes
        case error(code: Int64, message: String)
    }

    package let request: ServerAPIRequest
    package let outcome: Outcome
    /// The body as Apple sent it.
    package let bytes: [UInt8]
    /// The body as JSON; nil for an empty one.
    package let body: JSONView?

    init(_ request: ServerAPIRequest, _ outcome: Outcome, _ bytes: [UInt8], _ body: JSONView?) {
        self.request = request
        self.outcome = outcome
        self.bytes = bytes
        self.body = body
    }
}

/// The reason why a call has no answer. Nothing is known then, and the same call may be made again.
package enum ServerAPIFailure: DiagnosedError, Hashable {
    /// Apple refused a new token. Calls stop until the configuration changes.
    case unauthorized
    /// Apple refused a new token, and its clock differs from this machine's by a number of seconds.
    case clockSkew(seconds: Int64)
    /// Apple asks to wait.
    case rateLimited(until: Instant)
    /// No answer came, or something that is none: an HTML page, a cut body, a status of 5xx, with any body.
    case unavailable(found: String)

    package var diagnosis: Diagnosis {
        switch self {
        case .unauthorized:
            Diagnosis(
                "api_unauthorized", "the App Store Server API refuses the key", expected: "a token that Apple accepts",
                found: "status 401",
                hint:
                    "Compare issuerId, keyId, keyFile and bundleId with App Store Connect, and see if the key is revoked."
            )
        case .clockSkew(let seconds):
            Diagnosis(
                "clock_skew", "the App Store Server API refuses the token, and the clocks differ",
                expected: "a clock within 60 seconds of Apple's", found: "\(seconds) seconds",
                hint: "Set the clock of this machine, for example with NTP.")
        case .rateLimited(let instant):
            Diagnosis(
                "rate_limited", "the App Store Server API asks to wait", expected: "no call before \(instant.iso8601)",
                found: "status 429", isRetryable: true)
        case .unavailable(let found):
            Diagnosis(
                "api_unavailable", "the App Store Server API gave no answer", expected: "JSON of the endpoint's shape",
                found: found, hint: "The call is made again later.", isRetryable: true)
        }
    }
}

extension ServerAPIReply {
    /// Apple's codes of errors that a repetition may cure.
    /// https://developer.apple.com/documentation/appstoreserverapi/error-codes
    package static let retryableCodes: Set<Int64> = [4_040_002, 4_040_004, 4_040_006, 5_000_000, 5_000_001]

    /// Whether a repetition may cure the error. The question is not answered then.
    package var isRetryable: Bool {
        guard case .error(let code, _) = outcome else { return false }
        return Self.retryableCodes.contains(code)
    }

    /// Reads an answer.
    /// - Throws: what of it is no answer. Nothing with a status of 5xx is one, nor with 429.
    package static func read(
        _ bytes: [UInt8], status: Int, of request: ServerAPIRequest
    ) throws(Unreadable) -> ServerAPIReply {
        let isSuccess = 200..<300 ~= status
        if isSuccess, request.shape.isEmpty {
            return ServerAPIReply(request, .success, bytes, (try? JSONDocument(parsing: bytes))?.root)
        }
        guard let root = (try? JSONDocument(parsing: bytes))?.root, root.isObject else {
            throw Unreadable(found: "status \(status) with \(bytes.count) bytes that are no JSON object")
        }
        if isSuccess {
            for (name, type) in request.shape where root.member(name)?.type != type {
                throw Unreadable(found: "status \(status) without `\(name)`, or with another type of it")
            }
            return ServerAPIReply(request, .success, bytes, root)
        }
        guard let code = root["errorCode"]?.integer else { throw Unreadable(found: "status \(status)") }
        guard status < 500, status != tooManyRequests else {
            throw Unreadable(found: "status \(status), error \(code)")
        }
        return ServerAPIReply(
            request, .error(code: code, message: root["errorMessage"]?.string ?? ""), bytes, root)
    }

    private static let tooManyRequests = 429

    package struct Unreadable: Error {
        let found: String
    }
}

extension JSONView {
    fileprivate func member(_ name: String) -> JSONView? {
        members.first { $0.key == name }?.value
    }
}
