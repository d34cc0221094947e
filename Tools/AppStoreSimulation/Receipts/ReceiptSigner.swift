package import AppStoreModel
import Crypto
package import CryptoExtras
import SwiftASN1
import X509

/// Signs app receipts like the App Store: PKCS#7 without signed attributes, RSA with SHA-256, or SHA-1 as until 2025.
///
/// It is trusted only where its root is configured as a trust root.
package struct ReceiptSigner: Sendable {
    /// DER certificates, leaf first.
    package let certificates: [[UInt8]]
    let leafKey: _RSA.Signing.PrivateKey

    package init(certificates: [[UInt8]], leafKey: _RSA.Signing.PrivateKey) {
        precondition(!certificates.isEmpty, "a chain has at least one certificate")
        self.certificates = certificates
        self.leafKey = leafKey
    }

    /// The certificate to configure as the trust root.
    package var rootCertificate: [UInt8] { certificates[certificates.count - 1] }

    /// The options of a container.
    package struct Options: Sendable {
        package var usesSHA1 = false
        /// Whether the content is wrapped in one more OCTET STRING, as Xcode does.
        package var isWrapped = false
        /// The order of the embedded certificates, which anybody can change.
        package var certificateOrder = [0, 1, 2]

        package init() {}
    }

    package var leafPublicKey: _RSA.Signing.PublicKey { leafKey.publicKey }

    /// Returns the signature of a content, with SHA-256.
    package func signature(of content: [UInt8]) throws -> _RSA.Signing.RSASignature {
        try leafKey.signature(for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5)
    }

    /// Returns the SHA-1 that binds a receipt to a device.
    package static func deviceHash(guid: [UInt8], opaque: [UInt8], bundleIdOctets: [UInt8]) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: guid + opaque + bundleIdOctets))
    }

    /// Returns the container of a receipt as DER.
    package func sign(_ receipt: AppReceipt, _ options: Options = Options()) throws -> [UInt8] {
        try sign(content: receipt.content, signed: nil, options)
    }

    /// Returns the container of any content.
    /// - Parameter signed: the octets to sign in place of the content, for a signature that does not match.
    package func sign(
        content: [UInt8], signed: [UInt8]? = nil, _ options: Options = Options()
    ) throws -> [UInt8] {
        let octets = options.isWrapped ? DERWriter.element(DERWriter.octetString, content) : content
        let digestAlgorithm = Self.algorithm(options.usesSHA1 ? Self.sha1 : Self.sha256)
        let signature =
            options.usesSHA1
            ? try leafKey.signature(for: Insecure.SHA1.hash(data: signed ?? octets), padding: .insecurePKCS1v1_5)
            : try leafKey.signature(for: SHA256.hash(data: signed ?? octets), padding: .insecurePKCS1v1_5)
        let signer = DERWriter.element(
            DERWriter.sequence, DERWriter.integer(1), try issuerAndSerialNumber(), digestAlgorithm,
            Self.algorithm(Self.rsaEncryption),
            DERWriter.element(DERWriter.octetString, Array(signature.rawRepresentation)))
        let embedded = options.certificateOrder.map { certificates[min($0, certificates.count - 1)] }
        let signedData = DERWriter.element(
            DERWriter.sequence, DERWriter.integer(1), DERWriter.element(DERWriter.set, digestAlgorithm),
            DERWriter.element(
                DERWriter.sequence, Self.data,
                DERWriter.element(DERWriter.context0, DERWriter.element(DERWriter.octetString, octets))),
            DERWriter.element(DERWriter.context0, embedded), DERWriter.element(DERWriter.set, signer))
        return DERWriter.element(
            DERWriter.sequence, Self.signedData, DERWriter.element(DERWriter.context0, signedData))
    }

    private func issuerAndSerialNumber() throws -> [UInt8] {
        let leaf = try Certificate(derEncoded: certificates[0])
        var serializer = DER.Serializer()
        try serializer.serialize(leaf.issuer)
        return DERWriter.element(
            DERWriter.sequence, serializer.serializedBytes,
            DERWriter.element(DERWriter.integer, Array(leaf.serialNumber.bytes)))
    }

    private static func algorithm(_ identifier: [UInt8]) -> [UInt8] {
        DERWriter.element(DERWriter.sequence, identifier, DERWriter.null)
    }

    // Object identifiers of RFC 5652, RFC 8017 and FIPS 180.
    private static let data: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    private static let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    private static let rsaEncryption: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let sha1: [UInt8] = [0x06, 5, 0x2B, 0x0E, 0x03, 0x02, 0x1A]
    private static let sha256: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
}
