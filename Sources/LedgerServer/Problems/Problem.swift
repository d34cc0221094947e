package import HTTPTypes
import Primitives

/// What went wrong with a call, as it is told: application/problem+json (RFC 9457). Nothing in it is logged but its
/// code.
package struct Problem: Error, Sendable {
    package let status: HTTPResponse.Status
    package let code: String
    package let detail: String
    package var expected: String?
    package var found: String?
    package var hint: String?
    /// In seconds, with 429 and 503.
    package var retryAfter: Int?
    /// What the status asks for besides: Allow, WWW-Authenticate.
    package var headers = HTTPFields()

    package init(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, expected: String? = nil,
        found: String? = nil, hint: String? = nil, retryAfter: Int? = nil, headers: HTTPFields = HTTPFields()
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.expected = expected
        self.found = found.map(Self.bounded)
        self.hint = hint
        self.retryAfter = retryAfter
        self.headers = headers
    }

    /// What was found comes from outside: enough of it to recognise, never all of it.
    private static func bounded(_ text: String) -> String {
        text.unicodeScalars.count <= foundLimit
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(foundLimit))) + "…"
    }

    private static let foundLimit = 120
}

extension Problem {
    /// The title is the same for every problem of a type, as RFC 9457 §3.1.3 asks: the code in words.
    var json: JSONValue {
        .object([
            "type": .string("urn:subledger:problem:\(code)"),
            "title": .string(String(code.map { $0 == "_" ? " " : $0 })),
            "status": .integer(Int64(status.code)), "detail": .string(detail), "code": .string(code),
            "expected": JSONValue(expected), "found": JSONValue(found), "hint": JSONValue(hint),
        ])
    }
}
