package import AppStoreModel
package import Primitives

/// A verified JWS as translation needs it: what it says, and the digest that names it.
package struct SignedPayload<Payload: Sendable>: Sendable {
    package let verified: Verified<Payload>
    /// SHA-256 of the signing input `header.payload`.
    package let digest: Digest

    package init(_ verified: Verified<Payload>, digest: Digest) {
        self.verified = verified
        self.digest = digest
    }

    var payload: Payload { verified.payload }
}
