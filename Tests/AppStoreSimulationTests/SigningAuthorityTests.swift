import AppStoreSimulation
import Crypto
import FoundationEssentials
import Primitives
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@Suite("Signing authority")
struct SigningAuthorityTests {
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    static let now = Instant(milliseconds: 1_760_000_000_000)

    /// The properties of Apple's chains that a verifier checks.
    struct Properties: Equatable {
        var pathVerifies = true
        var pathVerifiesUnderStandardRoot = false
        var leafIsMarked = true
        var intermediateIsMarked = true
        var signatureVerifies = true
        var leafIsP256 = true
    }

    static func properties(of authority: SigningAuthority) async throws -> Properties {
        let certificates = try authority.certificates.map { try Certificate(derEncoded: $0) }
        let standardRoot = try Certificate(derEncoded: SigningAuthority.standard.rootCertificate)
        let jws = JWSSigner(authority).sign(Array("{}".utf8))
        return Properties(
            pathVerifies: await verifies(certificates, under: certificates[2], at: now),
            pathVerifiesUnderStandardRoot: await verifies(certificates, under: standardRoot, at: now),
            leafIsMarked: isMarked(certificates[0], leafMarker),
            intermediateIsMarked: isMarked(certificates[1], intermediateMarker),
            signatureVerifies: verifies(jws, under: certificates[0]),
            leafIsP256: P256.Signing.PublicKey(certificates[0].publicKey) != nil
        )
    }

    static func verifies(_ chain: [Certificate], under root: Certificate, at instant: Instant) async -> Bool {
        let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
        var verifier = Verifier(rootCertificates: CertificateStore([root])) {
            RFC5280Policy(fixedExpiryValidationTime: date)
        }
        let result = await verifier.validate(
            leaf: chain[0], intermediates: CertificateStore(chain.dropFirst().dropLast()))
        guard case .validCertificate(let valid) = result else { return false }
        return valid.count == 3
    }

    static func isMarked(_ certificate: Certificate, _ marker: ASN1ObjectIdentifier) -> Bool {
        guard let found = certificate.extensions[oid: marker] else { return false }
        return !found.critical && found.value.elementsEqual([0x05, 0x00])
    }

    static func verifies(_ jws: SignedJWS, under leaf: Certificate) -> Bool {
        guard let key = P256.Signing.PublicKey(leaf.publicKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
        else { return false }
        return key.isValidSignature(signature, for: jws.signingInput)
    }

    @Test func `a minted chain is like Apple's`() async throws {
        let authority = try SigningAuthority.mint()
        #expect(try await Self.properties(of: authority) == Properties())
        try Self.expectAppleShape(authority)
    }

    @Test func `the standard chain is like Apple's and always the same`() async throws {
        let properties = try await Self.properties(of: .standard)
        #expect(properties == Properties(pathVerifiesUnderStandardRoot: true))
        try Self.expectAppleShape(.standard)
        #expect(
            Digest.sha256(of: SigningAuthority.standard.rootCertificate).hex
                == "7c8e02aeff1791e975737a91ef2562ceed781694b87efd81cb20a0bc7e1e2381")
        let chain = try SigningAuthority.standard.certificates.map { try Certificate(derEncoded: $0) }
        for date in ["2014-01-01", "2043-12-31"] {
            let instant = try #require(Instant(iso8601: date))
            #expect(await Self.verifies(chain, under: chain[2], at: instant))
        }
    }

    static func expectAppleShape(_ authority: SigningAuthority) throws {
        let certificates = try authority.certificates.map { try Certificate(derEncoded: $0) }
        #expect(certificates.count == 3)
        for certificate in certificates {
            #expect(certificate.signatureAlgorithm == .ecdsaWithSHA384)
            #expect(certificate.version == .v3)
            #expect(try certificate.extensions.authorityKeyIdentifier != nil)
            #expect(try certificate.extensions.subjectKeyIdentifier != nil)
        }
        #expect(P384.Signing.PublicKey(certificates[1].publicKey) != nil)
        #expect(P384.Signing.PublicKey(certificates[2].publicKey) != nil)
        #expect(try certificates[0].extensions.keyUsage == KeyUsage(digitalSignature: true))
        let basic = try certificates.map { try $0.extensions.basicConstraints }
        #expect(
            basic == [
                .notCertificateAuthority, .isCertificateAuthority(maxPathLength: 0),
                .isCertificateAuthority(maxPathLength: nil),
            ])
        #expect(!isMarked(certificates[2], leafMarker) && !isMarked(certificates[2], intermediateMarker))
    }

    struct Defect: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let authority: @Sendable () throws -> SigningAuthority
        let expected: Properties

        init(
            _ name: String, _ change: @escaping @Sendable (inout SigningPlan) -> Void,
            _ expected: (inout Properties) -> Void
        ) {
            self.init(name, expected) {
                var plan = SigningPlan()
                change(&plan)
                return try SigningAuthority.mint(plan)
            }
        }

        init(
            _ name: String, _ change: (inout Properties) -> Void,
            authority: @escaping @Sendable () throws -> SigningAuthority
        ) {
            testDescription = name
            self.authority = authority
            var expected = Properties()
            change(&expected)
            self.expected = expected
        }
    }

    static let past =
        Instant(milliseconds: 1_500_000_000_000)...Instant(milliseconds: 1_600_000_000_000)

    @Test(arguments: [
        Defect("leaf without marker", { $0.marksLeaf = false }, { $0.leafIsMarked = false }),
        Defect("intermediate without marker", { $0.marksIntermediate = false }, { $0.intermediateIsMarked = false }),
        Defect(
            "intermediate that is no authority", { $0.intermediateIsAuthority = false }, { $0.pathVerifies = false }),
        Defect("leaf expired", { $0.leafValidity = past }, { $0.pathVerifies = false }),
        Defect("intermediate expired", { $0.intermediateValidity = past }, { $0.pathVerifies = false }),
        Defect("root expired", { $0.rootValidity = past }, { $0.pathVerifies = false }),
        Defect(
            "P-384 leaf", { $0.leafCurve = .p384 },
            {
                $0.leafIsP256 = false
                $0.signatureVerifies = false
            }),
        Defect("swapped leaf", { $0.pathVerifies = false }) {
            try SigningAuthority.mint().withLeaf(of: .mint())
        },
        Defect(
            "standard leaf on a foreign chain", { $0.pathVerifies = false },
            authority: { try SigningAuthority.mint().withLeaf(of: .standard) }),
    ])
    func `an option gives its defect and no other`(_ defect: Defect) async throws {
        #expect(try await Self.properties(of: defect.authority()) == defect.expected)
    }

    @Test func `a validity window holds within its ends and not outside`() async throws {
        var plan = SigningPlan()
        plan.leafValidity = Self.past
        let chain = try SigningAuthority.mint(plan).certificates.map { try Certificate(derEncoded: $0) }
        let (first, last) = (Self.past.lowerBound, Self.past.upperBound)
        for (instant, isValid) in [
            (first, true), (last, true), (first.advanced(byMilliseconds: -1_000), false),
            (last.advanced(byMilliseconds: 1_000), false),
        ] {
            #expect(await Self.verifies(chain, under: chain[2], at: instant) == isValid, "\(instant)")
        }
    }

    @Test func `a foreign root has the same name and another key`() throws {
        let foreign = try Certificate(derEncoded: SigningAuthority.mint().rootCertificate)
        let standard = try Certificate(derEncoded: SigningAuthority.standard.rootCertificate)
        #expect(foreign.subject == standard.subject)
        #expect(foreign.publicKey != standard.publicKey)
    }

    @Test func `Xcode signs with one certificate of its own`() throws {
        let authority = try SigningAuthority.mintXcode()
        #expect(authority.certificates.count == 1)
        let certificate = try Certificate(derEncoded: authority.leafCertificate)
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
        #expect(!Self.isMarked(certificate, Self.leafMarker))
        #expect(Self.verifies(JWSSigner(authority).sign(Array("{}".utf8)), under: certificate))
    }
}
