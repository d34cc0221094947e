package import Crypto

/// A certificate chain like Apple's with the private key of its leaf, which signs a simulated App Store's JWS.
///
/// It is trusted only where its root is configured as a trust root.
package struct SigningAuthority: Sendable {
    /// DER certificates, leaf first, as in `x5c`.
    package let certificates: [[UInt8]]
    package let leafKey: LeafKey

    package enum LeafKey: Sendable {
        case p256(P256.Signing.PrivateKey)
        /// Not an ES256 key: its signatures have 96 bytes.
        case p384(P384.Signing.PrivateKey)
    }

    package init(certificates: [[UInt8]], leafKey: LeafKey) {
        precondition(!certificates.isEmpty, "a chain has at least one certificate")
        self.certificates = certificates
        self.leafKey = leafKey
    }

    package var leafCertificate: [UInt8] { certificates[0] }
    /// The certificate to configure as the trust root.
    package var rootCertificate: [UInt8] { certificates[certificates.count - 1] }

    /// Returns this chain with another's leaf and key. Signatures verify; the path from leaf to intermediate does not.
    package func withLeaf(of other: SigningAuthority) -> SigningAuthority {
        SigningAuthority(certificates: [other.leafCertificate] + certificates.dropFirst(), leafKey: other.leafKey)
    }
}
