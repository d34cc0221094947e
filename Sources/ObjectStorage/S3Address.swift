/// The address of a bucket in HTTP.
/// https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
package struct S3Address: Hashable, Sendable {
    /// The scheme with the host.
    package let origin: String
    /// The value of the header Host: the port only where it is not that of the scheme.
    package let host: String
    /// The path before keys, percent-encoded; empty where the host names the bucket.
    private let path: String

    /// Creates the address of a bucket at Amazon. The host names the bucket, except where the name has dots, which the
    /// certificate does not cover.
    package init(bucket: String, region: String) {
        let service = "s3.\(region).amazonaws.com"
        let isPath = bucket.contains(".")
        host = isPath ? service : "\(bucket).\(service)"
        origin = "https://\(host)"
        path = isPath ? "/\(bucket)" : ""
    }

    /// Creates the address of a bucket at another service, whose path names the bucket.
    /// - Parameter endpoint: `http://HOST[:PORT][/PATH]` or `https://…`; nil for any other text.
    package init?(bucket: String, endpoint: String) {
        guard let (scheme, defaultPort) = Self.schemes.first(where: { endpoint.hasPrefix($0.scheme) }) else {
            return nil
        }
        let rest = endpoint.dropFirst(scheme.count)
        let parts = rest.split(separator: "/", omittingEmptySubsequences: true)
        let isPlain = rest.unicodeScalars.allSatisfy {
            $0.isASCII && $0.value > 32 && !"@?#\\".unicodeScalars.contains($0)
        }
        guard isPlain, let authority = parts.first, rest.first != "/" else { return nil }
        host = String(authority.hasSuffix(defaultPort) ? authority.dropLast(defaultPort.count) : authority)
        guard !host.isEmpty, !host.hasPrefix(":") else { return nil }
        origin = scheme + host
        path = (parts.dropFirst() + [Substring(bucket)]).map { "/\($0)" }.joined()
    }

    private static let schemes = [(scheme: "https://", port: ":443"), (scheme: "http://", port: ":80")]

    /// Returns the path of an object, percent-encoded.
    package func path(of key: String) -> String { "\(path)/\(PercentEncoding.path(key))" }
}
