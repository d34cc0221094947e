import Crypto
import FoundationEssentials
import Primitives
import SwiftASN1
import X509

/// A name and a key: the subject of a certificate, or the issuer of others.
struct CertificateHolder {
    let name: DistinguishedName
    let key: Certificate.PrivateKey

    init(_ commonName: String, key: Certificate.PrivateKey) throws {
        name = try DistinguishedName {
            CommonName(commonName)
            OrganizationalUnitName("Test keys, not to be trusted")
            OrganizationName("Subledger")
        }
        self.key = key
    }

    enum Role {
        case leaf(isMarked: Bool)
        case intermediate(isMarked: Bool, isAuthority: Bool)
        case root
    }

    /// Returns the DER of a certificate for `subject`, signed by this holder.
    func certify(_ subject: CertificateHolder, as role: Role, validity: ClosedRange<Instant>) throws -> [UInt8] {
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: subject.key.publicKey,
            notValidBefore: Date(validity.lowerBound),
            notValidAfter: Date(validity.upperBound),
            issuer: name,
            subject: subject.name,
            extensions: try extensions(of: subject, as: role),
            issuerPrivateKey: key
        )
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    private func extensions(of subject: CertificateHolder, as role: Role) throws -> Certificate.Extensions {
        var extensions: [Certificate.Extension] = [
            try Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: keyIdentifier), critical: false),
            try Certificate.Extension(SubjectKeyIdentifier(keyIdentifier: subject.keyIdentifier), critical: false),
        ]
        switch role {
        case .leaf(let isMarked):
            extensions += [
                try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true),
                try Certificate.Extension(KeyUsage(digitalSignature: true), critical: true),
            ]
            if isMarked { extensions.append(Self.marker([1, 2, 840, 113635, 100, 6, 11, 1])) }
        case .intermediate(let isMarked, let isAuthority):
            let constraints: BasicConstraints =
                isAuthority ? .isCertificateAuthority(maxPathLength: 0) : .notCertificateAuthority
            extensions += [
                try Certificate.Extension(constraints, critical: true),
                try Certificate.Extension(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
            ]
            if isMarked { extensions.append(Self.marker([1, 2, 840, 113635, 100, 6, 2, 1])) }
        case .root:
            extensions += [
                try Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
                try Certificate.Extension(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
            ]
        }
        return try Certificate.Extensions(extensions)
    }

    /// One of Apple's marker extensions: not critical, with a DER NULL as value.
    private static func marker(_ identifier: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: false, value: [0x05, 0x00])
    }

    /// The SHA-1 of the public key, RFC 5280 §4.2.1.2 (1). An identifier only: no security depends on it.
    private var keyIdentifier: ArraySlice<UInt8> {
        ArraySlice(Insecure.SHA1.hash(data: key.publicKey.subjectPublicKeyInfoBytes))
    }
}

extension Date {
    fileprivate init(_ instant: Instant) {
        self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
    }
}
