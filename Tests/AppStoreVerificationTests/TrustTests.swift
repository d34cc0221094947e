import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Crypto
import FoundationEssentials
import Primitives
import SwiftASN1
import Testing
import X509

@Suite("Trust")
struct TrustTests {
    @Test(arguments: [
        Sample.transaction(["bundleId": nil]), Sample.transaction(["bundleId": .string("com.example.other")]),
        Sample.notification(data: ["appAppleId": .integer(1)]), Sample.appTransaction(["bundleId": nil]),
    ])
    func `a claim for which nothing is given is not checked`(payload: JSONValue) async throws {
        var trust = TrustPolicy.sample
        trust.apps = []
        _ = try await SignedDataVerifier(trust: trust).verify(Sample.signer.sign(payload).compact).get()
    }

    @Test(arguments: [("Production", true), ("Sandbox", false)])
    func `an app id that is not configured is skipped, and in Production that is told`(
        environment: String, isTold: Bool
    ) async throws {
        var trust = TrustPolicy.sample
        trust.apps = [TrustPolicy.App(bundleId: Sample.bundleId)]
        let payload = Sample.notification(
            data: ["environment": .string(environment), "appAppleId": .integer(1)],
            transaction: Sample.transaction(["environment": .string(environment)]),
            renewalInfo: Sample.renewalInfo(["environment": .string(environment)]))
        let artifact = try await SignedDataVerifier(trust: trust).verify(Sample.signer.sign(payload).compact).get()
        guard case .notification(let notification) = artifact else {
            Issue.record("\(artifact.kind)")
            return
        }
        #expect(notification.claimChecks.appAppleIdNotChecked == isTold)
    }

    @Test func `each app is held to its own id and its own environments`() async throws {
        var trust = TrustPolicy.sample
        trust.apps = [
            TrustPolicy.App(bundleId: "com.example.a", appAppleId: 1, environments: [.production]),
            TrustPolicy.App(bundleId: "com.example.b", appAppleId: 2),
        ]
        let verifier = SignedDataVerifier(trust: trust)
        func code(_ bundleId: String, _ appAppleId: Int64, _ environment: String) async -> String? {
            let payload = Sample.appTransaction([
                "bundleId": .string(bundleId), "appAppleId": .integer(appAppleId),
                "receiptType": .string(environment),
            ])
            return await verifier.verify(Sample.signer.sign(payload).compact).refusal?.code.rawValue
        }
        #expect(await code("com.example.a", 1, "Production") == nil)
        #expect(await code("com.example.a", 1, "Sandbox") == "environment_mismatch")
        #expect(await code("com.example.b", 2, "Production") == nil)
        #expect(await code("com.example.b", 2, "Sandbox") == nil)
        #expect(await code("com.example.a", 2, "Production") == "app_apple_id_mismatch")
        #expect(await code("com.example.b", 1, "Sandbox") == "app_apple_id_mismatch")
        #expect(await code(Sample.bundleId, 1, "Sandbox") == "bundle_mismatch")
    }

    @Test func `a configured root anchors by its key, as PEM and as DER, whatever x5c brings as the root`() async throws
    {
        let authority = SigningAuthority.standard
        let body = Base64.encode(authority.rootCertificate)
        let lines = stride(from: 0, to: body.count, by: 64).map { String(body.dropFirst($0).prefix(64)) }
        let pem = (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
        var trust = TrustPolicy.sample
        trust.configuredRoots = [try ConfiguredRoot(file: Array(pem.utf8))]
        var header = Sample.signer.header
        let foreign = try SigningAuthority.mint().rootCertificate
        header.x5c?[2] = foreign
        let jws = Sample.signer.sign(Sample.transaction(), header: header)
        let proof = try await SignedDataVerifier(trust: trust).verify(jws.compact).get().proof
        #expect(proof.root == Digest.sha256(of: authority.rootCertificate))
        #expect(proof.isConfiguredRoot)
    }

    /// The root in x5c is not used for trust here, so only its size can cause the refusal.
    @Test(arguments: [(7_000, nil), (8_192, "certificate_malformed")])
    func `a certificate above 8 KiB is not even read`(extensionByteCount: Int, code: String?) async throws {
        var header = Sample.signer.header
        header.x5c?[2] = try Self.certificate(withExtensionOf: extensionByteCount)
        let jws = Sample.signer.sign(Sample.transaction(), header: header)
        #expect(await SignedDataVerifier(trust: .sample).verify(jws.compact).refusal?.code.rawValue == code)
    }

    private static func certificate(withExtensionOf byteCount: Int) throws -> [UInt8] {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName("Large") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 2_000_000_000),
            issuer: name, subject: name,
            extensions: Certificate.Extensions([
                Certificate.Extension(
                    oid: [1, 2, 3, 4], critical: false, value: [UInt8](repeating: 0, count: byteCount)[...])
            ]),
            issuerPrivateKey: key)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    @Test func `one of several configured roots is enough`() async throws {
        var trust = TrustPolicy.sample
        trust.configuredRoots = [.of(try .mint()), .of(.standard), .of(try .mint())]
        _ = try await SignedDataVerifier(trust: trust).verify(Sample.signer.sign(Sample.transaction()).compact).get()
    }

    @Test func `what is no certificate is no trust root`() {
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        for file in [[], [0x30], Array("text".utf8), Array(pem.utf8), SigningAuthority.standard.rootCertificate + [0]] {
            #expect(throws: Refusal.self) { try ConfiguredRoot(file: file) }
        }
    }

    @Test func `what a leaked certificate signed is refused from a date on`() async throws {
        for certificate in SigningAuthority.standard.certificates {
            var trust = TrustPolicy.sample
            trust.deniedCertificates = [
                TrustPolicy.DeniedCertificate(fingerprint: .sha256(of: certificate), from: Sample.signedDate)
            ]
            let verifier = SignedDataVerifier(trust: trust)
            func code(signedAt milliseconds: Int64) async -> RefusalCode? {
                let payload = Sample.transaction(["signedDate": .integer(milliseconds)])
                return await verifier.verify(Sample.signer.sign(payload).compact).refusal?.code
            }
            let from = Sample.signedDate.milliseconds
            #expect(await code(signedAt: from) == .certificateDenied)
            #expect(await code(signedAt: from - 1) == nil)
            #expect(await code(signedAt: from) == .certificateDenied)
            #expect(await code(signedAt: from + 1) == .certificateDenied)
        }
    }
}
