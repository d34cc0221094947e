package import AppStoreModel
package import Primitives

/// A verified JWS with the digest that names it.
package struct SignedPayload<Payload: Sendable>: Sendable {
    package let verified: Verified<Payload>
    /// The SHA-256 of the signing input `header.payload`.
    package let digest: Digest

    package init(_ verified: Verified<Payload>, digest: Digest) {
        self.verified = verified
        self.digest = digest
    }

    var payload: Payload { verified.payload }
}
