import Crypto
import FoundationEssentials
import JWTKit
import Primitives

/// The developer's key for the App Store Server API.
package struct ServerAPICredentials: Sendable {
    package let issuerId: String
    package let keyId: String
    package let bundleId: String
    private let key: ES256PrivateKey
    let signingKey: P256.Signing.PrivateKey

    /// - Parameter key: the contents of Apple's .p8 file.
    /// - Throws: when it has no P-256 key in PKCS#8 form.
    package init(issuerId: String, keyId: String, bundleId: String, privateKeyPEM key: String) throws {
        self.issuerId = issuerId
        self.keyId = keyId
        self.bundleId = bundleId
        self.key = try ES256PrivateKey(pem: key)
        signingKey = try P256.Signing.PrivateKey(pemRepresentation: key)
    }

    /// Signs a token that is valid for twenty minutes from a minute ago.
    /// https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests
    /// - Parameter now: the real time, which Apple compares with its own.
    func token(now: Date) async throws -> (text: String, expiresAt: Date) {
        let issued = Int(now.timeIntervalSince1970) - 60
        let expires = issued + Self.validSeconds
        let claims = Claims(iss: issuerId, iat: issued, exp: expires, aud: "appstoreconnect-v1", bid: bundleId)
        return (try await sign(claims), Date(timeIntervalSince1970: Double(expires)))
    }

    func sign(_ claims: some JWTPayload) async throws -> String {
        let identifier = JWKIdentifier(string: keyId)
        let keys = await JWTKeyCollection().add(ecdsa: key, kid: identifier)
        return try await keys.sign(claims, kid: identifier)
    }

    private static let validSeconds = 20 * 60

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int
        let exp: Int
        let aud: String
        let bid: String

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
