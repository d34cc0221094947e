import CMS
package import Primitives
import X509

/// The root that a signed artifact names for its chain. Unverified: it tells people which root they lack.
package struct ClaimedRoot: Hashable, Sendable {
    package let fingerprint: Digest
    /// The distinguished name.
    package let subject: String

    /// - Parameters:
    ///   - artifact: a JWS, or a receipt in base64 or DER.
    ///   - kind: the kind of the artifact.
    ///   - part: the claim with the nested JWS that is meant; nil for the artifact itself.
    /// - Returns: nil for an artifact without readable certificates.
    package init?(of artifact: [UInt8], kind: ArtifactKind, part: String? = nil) {
        guard kind != .receipt else {
            self.init(ofReceipt: artifact)
            return
        }
        guard let jws = try? JWS(parsing: artifact) else { return nil }
        guard let part else {
            self.init(of: jws)
            return
        }
        let outer = jws.payload.root
        let members = (outer["data"]?.members ?? []) + (outer["appData"]?.members ?? [])
        guard let text = members.first(where: { $0.key == part })?.value.string,
            let nested = try? JWS(parsing: Array(text.utf8))
        else { return nil }
        self.init(of: nested)
    }

    private init?(of jws: JWS) {
        guard let last = try? jws.decodedHeader()["x5c"]?.elements?.last,
            let root = try? DecodedCertificate(x5cEntry: last)
        else { return nil }
        self.init(root)
    }

    private init?(ofReceipt receipt: [UInt8]) {
        guard let container = try? ReceiptBytes.decoded(receipt),
            let certificates = try? Self.certificates(of: container)
        else { return nil }
        // The certificates are in no particular order.
        let root = certificates.first { $0.certificate.issuer == $0.certificate.subject } ?? certificates.last
        guard let root else { return nil }
        self.init(root)
    }

    private static func certificates(of container: [UInt8]) throws -> [DecodedCertificate] {
        let message = try SignedMessage(parsing: container)
        return message.embeddedCertificates.compactMap { try? DecodedCertificate(der: $0) }
    }

    private init(_ root: DecodedCertificate) {
        fingerprint = root.fingerprint
        subject = root.certificate.subject.description
    }
}
