import Crypto
package import Primitives

/// Signs requests with AWS Signature Version 4. The time is a parameter.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
package struct S3Signer: Sendable {
    private static let algorithm = "AWS4-HMAC-SHA256"

    package let credentials: S3Credentials
    package let region: String
    /// `s3`, except in the test suite of AWS.
    package let service: String

    package init(_ credentials: S3Credentials, region: String, service: String = "s3") {
        (self.credentials, self.region, self.service) = (credentials, region, service)
    }

    /// Returns the value of the header Authorization.
    package func authorization(of request: CanonicalRequest, at instant: Instant) -> String {
        let key = signingKey(day: Self.day(of: instant))
        let signature = Hex.encode(Self.code(stringToSign(request, at: instant), key))
        return "\(Self.algorithm) Credential=\(credentials.accessKeyId)/\(scope(at: instant)), "
            + "SignedHeaders=\(request.signedHeaders), Signature=\(signature)"
    }

    /// Returns the text that the signature authenticates.
    package func stringToSign(_ request: CanonicalRequest, at instant: Instant) -> String {
        let digest = Digest.sha256(of: request.text.utf8)
        return [Self.algorithm, Self.timestamp(instant), scope(at: instant), digest.hex].joined(separator: "\n")
    }

    /// Returns the value of the header x-amz-date: `20130524T000000Z`.
    package static func timestamp(_ instant: Instant) -> String {
        instant.iso8601.prefix(while: { $0 != "." }).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func day(of instant: Instant) -> String { String(timestamp(instant).prefix(8)) }

    private func scope(at instant: Instant) -> String {
        "\(Self.day(of: instant))/\(region)/\(service)/aws4_request"
    }

    private func signingKey(day: String) -> SymmetricKey {
        [day, region, service, "aws4_request"]
            .reduce(SymmetricKey(data: Array("AWS4\(credentials.secretAccessKey)".utf8))) { key, part in
                SymmetricKey(data: Self.code(part, key))
            }
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
    }
}
