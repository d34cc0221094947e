package import Primitives

/// The parts of a request that its signature covers.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
package struct CanonicalRequest: Hashable, Sendable {
    package var method: String
    /// Percent-encoded, once.
    package var path: String
    /// Not percent-encoded.
    package var query: [String: String]
    /// Keyed by their names in lower case.
    package var headers: [String: String]
    /// The SHA-256 of the body.
    package var payload: Digest

    package init(
        _ method: String, path: String, query: [String: String] = [:], headers: [String: String], payload: Digest
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        (self.headers, self.payload) = (headers, payload)
    }

    /// The names of the headers.
    package var signedHeaders: String { headers.keys.sorted().joined(separator: ";") }

    /// The path and the query, as they are sent.
    package var target: String { query.isEmpty ? path : "\(path)?\(encodedQuery)" }

    /// The text of the canonical request.
    package var text: String {
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key):\(Self.trimmed($0.value))\n" }
        return [method, path, encodedQuery, lines.joined(), signedHeaders, payload.hex].joined(separator: "\n")
    }

    private var encodedQuery: String {
        query.map { (PercentEncoding.component($0.key), PercentEncoding.component($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }

    /// Returns a value without spaces at its ends, and with single spaces within.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}
