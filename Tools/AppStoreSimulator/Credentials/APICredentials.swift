package import Crypto
package import FoundationEssentials
import JWTKit
import Primitives

/// The key of the App Store Server API that the simulated App Store gives to the developer, and the check of the tokens
/// signed with it.
package struct APICredentials: Sendable {
    package let issuerId: String
    package let keyId: String
    package let bundleId: String
    /// PKCS#8, as Apple's .p8 files.
    package let privateKeyPEM: String
    private let keys: JWTKeyCollection

    /// - Parameter key: the private key; by default, a new one.
    package init(
        issuerId: String = "5ab1ed6e-0000-4000-8000-000000000001", keyId: String = "SIMULATOR1", bundleId: String,
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
    ) async throws {
        self.issuerId = issuerId
        self.keyId = keyId
        self.bundleId = bundleId
        privateKeyPEM = key.pemRepresentation
        keys = await JWTKeyCollection()
            .add(ecdsa: try ES256PublicKey(pem: key.publicKey.pemRepresentation), kid: JWKIdentifier(string: keyId))
        // A token of another key id is not checked with this key.
        _ = await keys.clearDefault()
    }

    /// Whether Apple would accept the token: signed with the key, for this app, and valid now for at most an hour.
    /// https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests
    /// - Parameter now: the real time.
    package func accept(_ token: String, now: Date = Date()) async -> Bool {
        guard let claims = try? await keys.verify(token, as: Claims.self) else { return false }
        // Apple's library for Python sends no `iat`.
        let issued = claims.iat?.value ?? now
        let expires = claims.exp.value
        return claims.iss.value == issuerId && claims.aud.value.contains(Self.audience) && claims.bid == bundleId
            && issued <= now.addingTimeInterval(Self.clockSkew) && now < expires
            && expires.timeIntervalSince(issued) <= Self.longestValidity
    }

    private static let audience = "appstoreconnect-v1"
    /// Seconds.
    private static let longestValidity = 3_600.0
    private static let clockSkew = 60.0

    private struct Claims: JWTPayload {
        let iss: IssuerClaim
        let iat: IssuedAtClaim?
        let exp: ExpirationClaim
        let aud: AudienceClaim
        let bid: String

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
