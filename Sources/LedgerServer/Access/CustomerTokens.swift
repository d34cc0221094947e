package import Crypto
import HTTPTypes
package import LedgerConfiguration
import Primitives

/// Verifies customer tokens: JWTs (RFC 7519) in which a developer's backend states the customer of an app's user.
///
/// Only ES256 is accepted. `sub` is the customer id, `exp` is required, `nbf` is checked if present, and `kid` names
/// the configured key. Errors contain no part of a token.
package struct CustomerTokens: Sendable {
    private let keys: [String: P256.Signing.PublicKey]

    /// The maximum length of a token. Longer tokens are rejected before parsing.
    private static let byteLimit = 4_096

    package init(_ keys: [String: P256.Signing.PublicKey] = [:]) {
        self.keys = keys
    }

    /// - Parameter pem: the contents of the file.
    /// - Throws: `ConfigurationError` unless the file contains a P-256 public key in PEM.
    package static func publicKey(pem: [UInt8], file: String) throws(ConfigurationError) -> P256.Signing.PublicKey {
        let text = String(decoding: pem, as: UTF8.self)
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: text) else {
            throw ConfigurationError(
                file, "invalid public key for customer tokens", expected: "a P-256 public key in PEM",
                found: "other content",
                hint: "Run `openssl ec -in private.pem -pubout -out public.pem`.")
        }
        return key
    }

    /// Returns the customer id of a token.
    /// - Throws: `customer_token_malformed` (400); `customer_token_key_unknown`, `customer_token_signature_invalid`,
    ///   `customer_token_expired`, `customer_token_not_yet_valid` (403).
    func customerId(in token: String, now: Instant) throws(Problem) -> String {
        guard token.utf8.count <= Self.byteLimit else { throw .malformed("at most \(Self.byteLimit) bytes") }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
            let signature = Base64URL.decode(String(parts[2]))
        else { throw .malformed("three base64url segments, with JSON objects in the first two") }
        guard header["alg"]?.string == "ES256" else { throw .malformed("alg ES256") }
        guard let kid = header["kid"]?.string, let key = keys[kid] else { throw .keyUnknown }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(signature, for: SHA256.hash(data: Array("\(parts[0]).\(parts[1])".utf8)))
        else { throw .signatureInvalid }
        let seconds = Double(now.milliseconds) / 1_000
        guard let expires = claims["exp"]?.double else { throw .malformed("exp in seconds since 1970") }
        guard seconds < expires else { throw .expired }
        if let start = claims["nbf"], !start.isNull {
            guard let start = start.double else { throw .malformed("nbf in seconds since 1970") }
            guard seconds >= start else { throw .notYetValid }
        }
        guard let id = claims["sub"]?.string else { throw .malformed("the customer id in sub") }
        return id
    }

    private static func json(_ part: Substring) -> JSONView? {
        guard let bytes = Base64URL.decode(String(part)), let root = try? JSONDocument(parsing: bytes).root,
            root.isObject
        else { return nil }
        return root
    }
}

extension Problem {
    fileprivate static func malformed(_ expected: String) -> Problem {
        Problem(
            .badRequest, "customer_token_malformed", "invalid customerToken", expected: expected,
            found: "a token of another form", hint: "Sign an ES256 JWT for each signed-in user on your backend.")
    }

    fileprivate static let keyUnknown = Problem(
        .forbidden, "customer_token_key_unknown", "the key of the customerToken is not configured",
        expected: "a kid from customerTokens", found: "an unknown kid")

    fileprivate static let signatureInvalid = Problem(
        .forbidden, "customer_token_signature_invalid", "the signature of the customerToken is invalid",
        expected: "an ES256 signature by the key for kid", found: "another signature")

    fileprivate static let expired = Problem(
        .forbidden, "customer_token_expired", "the customerToken has expired", expected: "exp in the future",
        found: "exp in the past", hint: "Request a new token from your backend.")

    fileprivate static let notYetValid = Problem(
        .forbidden, "customer_token_not_yet_valid", "the customerToken is not valid yet", expected: "nbf in the past",
        found: "nbf in the future", hint: "Compare the clocks of the backend and the ledger.")
}
