package import HTTPTypes
package import Primitives

/// The response to a failed call: application/problem+json (RFC 9457). The log contains its code and, if a route throws
/// it with a status of 500 or above, its detail.
package struct Problem: DiagnosedError, Sendable {
    package let status: HTTPResponse.Status
    package let diagnosis: Diagnosis
    /// The value of Retry-After in seconds, for 429 and 503.
    package var retryAfter: Int?
    /// Headers that the status requires: Allow, WWW-Authenticate.
    package var headers = HTTPFields()

    package init(
        _ status: HTTPResponse.Status, _ diagnosis: Diagnosis, retryAfter: Int? = nil,
        headers: HTTPFields = HTTPFields()
    ) {
        self.status = status
        self.diagnosis = diagnosis
        self.retryAfter = retryAfter
        self.headers = headers
    }

    package init(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, expected: String? = nil,
        found: String? = nil, hint: String? = nil, retryAfter: Int? = nil, headers: HTTPFields = HTTPFields()
    ) {
        self.init(
            status, Diagnosis(code, detail, expected: expected, found: found, hint: hint), retryAfter: retryAfter,
            headers: headers)
    }
}

extension Problem {
    /// The JSON body. The title is the code in words, the same for every problem of a type (RFC 9457 §3.1.3).
    var json: JSONValue {
        .object([
            "type": .string("urn:subledger:problem:\(diagnosis.code)"),
            "title": .string(String(diagnosis.code.map { $0 == "_" ? " " : $0 })),
            "status": .integer(Int64(status.code)), "detail": .string(diagnosis.message),
            "code": .string(diagnosis.code), "expected": JSONValue(diagnosis.expected),
            "found": JSONValue(diagnosis.found), "hint": JSONValue(diagnosis.hint),
        ])
    }
}
