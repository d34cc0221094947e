import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives
import Testing

@Suite("Local environments")
struct LocalEnvironmentTests {
    let xcode: SigningAuthority
    let signer: JWSSigner
    let payload = Sample.transaction(["environment": .string("Xcode")])

    init() throws {
        xcode = try .mintXcode()
        signer = JWSSigner(xcode)
    }

    private func trust(_ environments: Set<Environment>, roots: [ConfiguredRoot]) -> TrustPolicy {
        var trust = TrustPolicy.sample
        trust.environments = environments
        trust.configuredRoots = roots
        return trust
    }

    @Test(arguments: ["Xcode", "LocalTesting"])
    func `data of Xcode counts where environment and certificate are both named`(name: String) async throws {
        let environment = Environment(rawValue: name)
        let bytes = signer.sign(Sample.transaction(["environment": .string(name)])).compact
        let both = SignedDataVerifier(trust: trust([environment], roots: [.of(xcode)]))
        let proof = try await both.verify(bytes).get().proof
        #expect(proof.isConfiguredRoot)
        #expect(proof.root == Digest.sha256(of: xcode.rootCertificate))
        let onlyCertificate = SignedDataVerifier(trust: trust([.production, .sandbox], roots: [.of(xcode)]))
        #expect(await onlyCertificate.verify(bytes).refusal?.code == .environmentRefused)
        let onlyEnvironment = SignedDataVerifier(trust: trust([environment], roots: [.of(.standard)]))
        #expect(await onlyEnvironment.verify(bytes).refusal?.code == .environmentRefused)
        let neither = SignedDataVerifier(trust: trust([.sandbox], roots: []))
        #expect(await neither.verify(bytes).refusal?.code == .environmentRefused)
    }

    @Test func `the signature of local data is still checked`() async throws {
        let verifier = SignedDataVerifier(trust: trust([.xcode], roots: [.of(xcode)]))
        #expect(await verifier.verify(signer.sign(payload).forged.compact).refusal?.code == .signatureInvalid)
        #expect(await verifier.verify(signer.sign(payload).compact).refusal == nil)
    }

    @Test func `a certificate of Xcode vouches for local data only, also when it is known already`() async throws {
        let verifier = SignedDataVerifier(trust: trust([.xcode, .sandbox, .production], roots: [.of(xcode)]))
        for environment in ["Sandbox", "Production"] {
            let bytes = signer.sign(Sample.transaction(["environment": .string(environment)])).compact
            #expect(await verifier.verify(bytes).refusal?.code == .certificateCount)
            _ = try await verifier.verify(signer.sign(payload).compact).get()
            #expect(await verifier.verify(bytes).refusal?.code == .certificateCount)
        }
        let unnamed = signer.sign(Sample.transaction(["environment": nil])).compact
        #expect(await verifier.verify(unnamed).refusal?.code == .certificateCount)
    }

    @Test func `a local environment that is not named is refused, also when its certificate is known already`()
        async throws
    {
        let verifier = SignedDataVerifier(trust: trust([.xcode], roots: [.of(xcode)]))
        let unnamed = signer.sign(Sample.transaction(["environment": .string("LocalTesting")])).compact
        #expect(await verifier.verify(unnamed).refusal?.code == .environmentRefused)
        _ = try await verifier.verify(signer.sign(payload).compact).get()
        #expect(await verifier.verify(unnamed).refusal?.code == .environmentRefused)
    }

    @Test func `local data under a chain of three is refused, also when the chain is known already`() async throws {
        let verifier = SignedDataVerifier(trust: trust([.xcode, .sandbox], roots: [.of(.standard), .of(xcode)]))
        let bytes = Sample.signer.sign(payload).compact
        #expect(await verifier.verify(bytes).refusal?.code == .environmentRefused)
        _ = try await verifier.verify(Sample.signer.sign(Sample.transaction()).compact).get()
        #expect(await verifier.verify(bytes).refusal?.code == .environmentRefused)
    }
}
