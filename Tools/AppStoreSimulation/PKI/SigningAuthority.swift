package import Crypto

/// A certificate chain like Apple's with the private key of its leaf: what signs a simulated App Store's JWS.
///
/// Nobody trusts it unless its root is configured as a trust root.
package struct SigningAuthority: Sendable {
    /// DER, leaf first, as `x5c` carries them.
    package let certificates: [[UInt8]]
    package let leafKey: LeafKey

    package enum LeafKey: Sendable {
        case p256(P256.Signing.PrivateKey)
        /// No key for ES256: a JWS it signs carries 96 bytes.
        case p384(P384.Signing.PrivateKey)
    }

    package init(certificates: [[UInt8]], leafKey: LeafKey) {
        precondition(!certificates.isEmpty, "a chain has at least one certificate")
        self.certificates = certificates
        self.leafKey = leafKey
    }

    package var leafCertificate: [UInt8] { certificates[0] }
    /// What to configure as the trust root.
    package var rootCertificate: [UInt8] { certificates[certificates.count - 1] }

    /// This chain with the leaf and key of another: signatures verify, the path from leaf to intermediate does not.
    package func withLeaf(of other: SigningAuthority) -> SigningAuthority {
        SigningAuthority(certificates: [other.leafCertificate] + certificates.dropFirst(), leafKey: other.leafKey)
    }
}
