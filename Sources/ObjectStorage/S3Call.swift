import NIOCore
import NIOHTTP1
import Primitives

/// A request about one object.
struct S3Call: Sendable {
    let method: HTTPMethod
    let key: String
    let query: [String: String]
    /// Keyed by their names in lower case.
    let headers: [String: String]
    let body: ByteBuffer?
    let payload: Digest
    /// The greatest number of bytes in the answer.
    var answerLimit = 1 << 20

    init(
        _ method: HTTPMethod, _ key: String, query: [String: String] = [:], headers: [String: String] = [:],
        body: [UInt8]? = nil
    ) {
        (self.method, self.key, self.query, self.headers) = (method, key, query, headers)
        self.body = body.map { ByteBuffer(bytes: $0) }
        payload = .sha256(of: body ?? [])
    }
}

/// An answer that is no reason to repeat the request.
struct S3Answer: Sendable {
    let status: HTTPResponseStatus
    let headers: HTTPHeaders
    let body: [UInt8]

    /// The code of an error: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    var errorCode: String? {
        guard XMLText.isLikely(body), XMLText.element("Error", in: body) != nil,
            let code = XMLText.element("Code", in: body), code.utf8.count <= 64,
            code.unicodeScalars.allSatisfy({ $0.properties.isAlphabetic || $0 == "." })
        else { return nil }
        return code
    }

    /// Whether the request succeeded. The completion of an upload may fail with status 200.
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
    var isSuccess: Bool { 200..<300 ~= status.code && errorCode == nil }

    /// Whether the same request may succeed. A conditional write that meets another one is to be repeated.
    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    var isTemporary: Bool {
        switch status.code {
        case 501: false
        case 500...: true
        case 200..<300: errorCode.map(Self.temporaryCodes.contains) ?? false
        default: errorCode == "ConditionalRequestConflict"
        }
    }

    private static let temporaryCodes: Set = ["InternalError", "ServiceUnavailable", "SlowDown"]

    /// The status with the code, for people.
    var summary: String { "status \(status.code)" + (errorCode.map { ", \($0)" } ?? "") }
}
