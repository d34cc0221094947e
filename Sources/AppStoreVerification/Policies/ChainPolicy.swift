import AppStoreModel
import FoundationEssentials
import Primitives
import SwiftASN1
@_spi(DisableValidityCheck) import X509

import enum Crypto.P256

/// Path validation (RFC 5280 §6) of leaf and intermediate up to a trusted anchor, by swift-certificates.
/// `ValidityPolicy` checks validity in time, so one validation serves signatures of any date.
struct ChainPolicy: Sendable {
    let configuredRoots: [ConfiguredRoot]

    func validate(x5c: [JSONView]) async throws(Refusal) -> ValidatedChain {
        var certificates: [DecodedCertificate] = []
        for entry in x5c { certificates.append(try DecodedCertificate(x5cEntry: entry)) }
        return certificates.count == 1
            ? try localChain(of: certificates[0])
            : try await chain(leaf: certificates[0], intermediate: certificates[1], root: certificates[2])
    }

    private func chain(
        leaf: DecodedCertificate, intermediate: DecodedCertificate, root: DecodedCertificate
    ) async throws(Refusal) -> ValidatedChain {
        var anchors = configuredRoots.map { ($0.certificate, $0.fingerprint, true) }
        if ApplePins.jws.contains(root.fingerprint) { anchors.append((root.certificate, root.fingerprint, false)) }
        for (anchor, fingerprint, isConfigured) in anchors {
            var verifier = Verifier(rootCertificates: CertificateStore([anchor])) {
                RFC5280Policy.withValidityCheckDisabled()
            }
            let result = await verifier.validate(
                leaf: leaf.certificate, intermediates: CertificateStore([intermediate.certificate]))
            guard case .validCertificate(let path) = result, path.count == 3 else { continue }
            return try ValidatedChain(
                leaf: leaf, intermediate: intermediate, anchor: anchor, anchorFingerprint: fingerprint,
                isConfiguredRoot: isConfigured)
        }
        throw Refusal(
            .chainUntrusted, "the certificate chain does not end at a trusted root",
            expected: anchors.isEmpty ? "an Apple root certificate" : "a certificate chain to a trusted root",
            found: "root \(root.fingerprint.hex)")
    }

    /// A single certificate is its own anchor if an operator configured a certificate with its key.
    func localChain(of certificate: DecodedCertificate) throws(Refusal) -> ValidatedChain {
        guard let root = configuredRoots.first(where: { $0.certificate.publicKey == certificate.certificate.publicKey })
        else {
            throw Refusal(
                .environmentRefused, "the signing certificate of local test data is not trusted",
                expected: "a configured trust root with the key of the signing certificate",
                found: "certificate \(certificate.fingerprint.hex)")
        }
        return try ValidatedChain(localCertificate: certificate, root: root)
    }
}

struct DecodedCertificate {
    /// The maximum size of a certificate. Apple's are below 1.5 KB.
    static let byteLimit = 8 * 1_024

    let certificate: Certificate
    let fingerprint: Digest

    /// - Parameter entry: standard base64 of DER (RFC 7515 §4.1.6).
    init(x5cEntry entry: JSONView) throws(Refusal) {
        guard let der = entry.string.flatMap(Base64.decode), der.count <= Self.byteLimit,
            let certificate = try? Certificate(derEncoded: der)
        else {
            throw Refusal(
                .certificateMalformed, "x5c contains an invalid certificate",
                expected: "base64-encoded DER of at most \(Self.byteLimit) bytes", found: "an invalid value")
        }
        self.init(certificate, der)
    }

    /// - Throws: `certificate_malformed`.
    init(der: [UInt8]) throws(Refusal) {
        guard der.count <= Self.byteLimit, let certificate = try? Certificate(derEncoded: der) else {
            throw Refusal(
                .certificateMalformed, "the receipt contains an invalid certificate",
                expected: "DER of at most \(Self.byteLimit) bytes", found: "an invalid value")
        }
        self.init(certificate, der)
    }

    private init(_ certificate: Certificate, _ der: [UInt8]) {
        self.certificate = certificate
        fingerprint = .sha256(of: der)
    }
}

/// A chain with valid signatures, names and constraints. `window` is its period of validity.
final class ValidatedChain: Sendable {
    let leafKey: P256.Signing.PublicKey?
    let leaf: Digest
    let root: Digest
    let isConfiguredRoot: Bool
    /// The fingerprints of all certificates, for the deny-list.
    let fingerprints: [Digest]
    /// The number of certificates in x5c.
    let certificateCount: Int
    /// The period in which every certificate is valid, both ends included (RFC 5280 §4.1.2.5).
    let window: (notBefore: Instant, notAfter: Instant)
    let markers: MarkerPolicy.Markers

    convenience init(
        leaf: DecodedCertificate, intermediate: DecodedCertificate, anchor: Certificate, anchorFingerprint: Digest,
        isConfiguredRoot: Bool, isIntermediateMarked: Bool = false
    ) throws(Refusal) {
        self.init(
            certificates: [leaf.certificate, intermediate.certificate, anchor],
            fingerprints: [leaf.fingerprint, intermediate.fingerprint, anchorFingerprint],
            isConfiguredRoot: isConfiguredRoot,
            markers: MarkerPolicy.Markers(
                leaf: leaf.certificate, intermediate: intermediate.certificate,
                isIntermediateMarked: isIntermediateMarked))
    }

    convenience init(localCertificate certificate: DecodedCertificate, root: ConfiguredRoot) throws(Refusal) {
        self.init(
            certificates: [certificate.certificate], fingerprints: [certificate.fingerprint, root.fingerprint],
            isConfiguredRoot: true, markers: .notRequired)
    }

    private init(
        certificates: [Certificate], fingerprints: [Digest], isConfiguredRoot: Bool, markers: MarkerPolicy.Markers
    ) {
        leafKey = P256.Signing.PublicKey(certificates[0].publicKey)
        leaf = fingerprints[0]
        root = fingerprints[fingerprints.count - 1]
        self.fingerprints = fingerprints
        certificateCount = certificates.count
        self.isConfiguredRoot = isConfiguredRoot
        self.markers = markers
        window = (
            certificates.map { Instant($0.notValidBefore) }.max() ?? .latest,
            certificates.map { Instant($0.notValidAfter) }.min() ?? .earliest
        )
    }
}

extension Instant {
    fileprivate init(_ date: Date) {
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    }
}
