package import Crypto
import HTTPTypes
package import LedgerConfiguration
import Primitives

/// Verifies customer tokens: JWTs (RFC 7519) by which a developer's backend tells an app's device who its customer is.
///
/// ES256 only; `sub` is the customer id, `exp` is required, `nbf` is heeded, `kid` names the configured key. Nothing of a
/// token is repeated in an error.
package struct CustomerTokens: Sendable {
    private let keys: [String: P256.Signing.PublicKey]

    /// Longer tokens are refused before they are read.
    private static let byteLimit = 4_096

    package init(_ keys: [String: P256.Signing.PublicKey] = [:]) {
        self.keys = keys
    }

    /// - Parameter pem: the contents of a file.
    /// - Throws: `ConfigurationError` for a file that is no PEM of a P-256 public key.
    package static func publicKey(pem: [UInt8], file: String) throws(ConfigurationError) -> P256.Signing.PublicKey {
        let text = String(decoding: pem, as: UTF8.self)
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: text) else {
            throw ConfigurationError(
                file, "the file holds no key for customer tokens", expected: "a P-256 public key in PEM",
                found: "something else",
                hint: "openssl ec -in private.pem -pubout -out public.pem")
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
        else { throw .malformed("three parts of base64url, the first two JSON objects") }
        guard header["alg"]?.string == "ES256" else { throw .malformed("alg ES256") }
        guard let kid = header["kid"]?.string, let key = keys[kid] else { throw .keyUnknown }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(signature, for: SHA256.hash(data: Array("\(parts[0]).\(parts[1])".utf8)))
        else { throw .signatureInvalid }
        let seconds = Double(now.milliseconds) / 1_000
        guard let expires = claims["exp"]?.double else { throw .malformed("exp, in seconds since 1970") }
        guard seconds < expires else { throw .expired }
        if let start = claims["nbf"], !start.isNull {
            guard let start = start.double else { throw .malformed("nbf in seconds since 1970") }
            guard seconds >= start else { throw .notYetValid }
        }
        guard let id = claims["sub"]?.string else { throw .malformed("sub, the customer id") }
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
            .badRequest, "customer_token_malformed", "the customerToken is no token of a customer", expected: expected,
            found: "something else", hint: "Sign a JWT with ES256 for each signed-in user on your backend.")
    }

    fileprivate static let keyUnknown = Problem(
        .forbidden, "customer_token_key_unknown", "the key of the customerToken is not configured",
        expected: "a kid of customerTokens", found: "another kid")

    fileprivate static let signatureInvalid = Problem(
        .forbidden, "customer_token_signature_invalid", "the signature of the customerToken does not fit its content",
        expected: "ES256 by the key that kid names", found: "another signature")

    fileprivate static let expired = Problem(
        .forbidden, "customer_token_expired", "the customerToken has expired", expected: "exp in the future",
        found: "exp in the past", hint: "Ask your backend for a new one.")

    fileprivate static let notYetValid = Problem(
        .forbidden, "customer_token_not_yet_valid", "the customerToken is not valid yet", expected: "nbf in the past",
        found: "nbf in the future", hint: "Compare the clocks of the backend and the ledger.")
}
