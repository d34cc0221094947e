import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives
import Testing

@Suite("Chain cache")
struct ChainCacheTests {
    let verifier = SignedDataVerifier(trust: .sample)

    /// The simulation's header with a meaningless field that changes its text.
    private func header(variant: Int) -> JWSHeader {
        var header = Sample.signer.header
        header.extraFields = [.init("kid", .integer(Int64(variant)))]
        return header
    }

    @Test func `a chain is kept only after a signature under it was verified`() async throws {
        let jws = Sample.signer.sign(Sample.transaction())
        #expect(await verifier.verify(jws.forged.compact).refusal?.code == .signatureInvalid)
        #expect(await verifier.verify(jws.with(signature: []).compact).refusal?.code == .signatureInvalid)
        #expect(verifier.cachedChainCount == 0)
        for _ in 1...3 { _ = try await verifier.verify(jws.compact).get() }
        #expect(verifier.cachedChainCount == 1)
    }

    @Test func `a signature is checked also under a known chain`() async throws {
        let jws = Sample.signer.sign(Sample.transaction())
        _ = try await verifier.verify(jws.compact).get()
        #expect(await verifier.verify(jws.forged.compact).refusal?.code == .signatureInvalid)
        #expect(
            await verifier.verify(
                Sample.signer.sign(Sample.renewalInfo()).with(signature: jws.signature).compact
            ).refusal?.code == .signatureInvalid)
    }

    @Test func `claims are checked also under a known chain`() async throws {
        _ = try await verifier.verify(Sample.signer.sign(Sample.transaction()).compact).get()
        for (change, code) in [
            (["bundleId": .string("x")], RefusalCode.bundleMismatch),
            (["environment": .string("Xcode")], .environmentRefused), (["environment": nil], .claimMissing),
            (["signedDate": .integer(0)], .chainExpired),
        ] as [(Sample.Changes, RefusalCode)] {
            #expect(await verifier.verify(Sample.signer.sign(Sample.transaction(change)).compact).refusal?.code == code)
        }
    }

    @Test func `another text of the header is another entry, and their number is bounded`() async throws {
        for variant in 0..<300 {
            let jws = Sample.signer.sign(Sample.transaction(), header: header(variant: variant))
            #expect(await verifier.verify(jws.forged.compact).refusal?.code == .signatureInvalid)
            for _ in 1...2 { _ = try await verifier.verify(jws.compact).get() }
            #expect(verifier.cachedChainCount == min(variant + 1, 256))
        }
        let first = Sample.signer.sign(Sample.transaction(), header: header(variant: 0))
        _ = try await verifier.verify(first.compact).get()
        #expect(verifier.cachedChainCount == 256)
    }

    @Test func `a header that begins like a known one is not that one`() async throws {
        let jws = Sample.signer.sign(Sample.transaction())
        _ = try await verifier.verify(jws.compact).get()
        let parts = jws.text.split(separator: ".")
        for header in [parts[0].dropLast(4), parts[0] + "AAAA", parts[0].dropLast(1) + "A"] {
            let text = "\(header).\(parts[1]).\(parts[2])"
            #expect(await verifier.verify(Array(text.utf8)).refusal != nil)
        }
        #expect(verifier.cachedChainCount == 1)
    }

    @Test func `each chain is held to its own certificates`() async throws {
        var trust = TrustPolicy.sample
        let other = try SigningAuthority.mint()
        trust.configuredRoots.append(.of(other))
        let verifier = SignedDataVerifier(trust: trust)
        let payload = Sample.transaction()
        let (ours, theirs) = (Sample.signer.sign(payload), JWSSigner(other).sign(payload))
        for _ in 1...2 {
            #expect(
                try await verifier.verify(ours.compact).get().proof.root
                    == Digest.sha256(of: SigningAuthority.standard.rootCertificate))
            #expect(
                try await verifier.verify(theirs.compact).get().proof.root
                    == Digest.sha256(of: other.rootCertificate))
        }
        #expect(
            await verifier.verify(ours.with(signature: theirs.signature).compact).refusal?.code == .signatureInvalid)
        #expect(verifier.cachedChainCount == 2)
    }

    @Test func `many at once agree`() async throws {
        let jws = (0..<8).map { variant in
            Sample.signer.sign(Sample.notification(), header: header(variant: variant))
        }
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                let bytes = index.isMultiple(of: 2) ? jws[index % 8].compact : jws[index % 8].forged.compact
                group.addTask { await (self.verifier.verify(bytes).refusal == nil) == index.isMultiple(of: 2) }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
