import AppStoreSimulation
import AppStoreVerification
import LedgerTesting
import Primitives
import Testing

@Suite("Mutation")
struct MutationTests {
    static let count = TestEnvironment.isLong ? 2_000_000 : 100_000
    static let streams = 100

    /// Valid notifications of several lengths under two headers of one chain.
    static let originals: [[UInt8]] = {
        var other = Sample.signer.header
        other.extraFields = [.init("kid", .string("second"))]
        return [
            Sample.signer.sign(Sample.notification()),
            Sample.signer.sign(Sample.notification(data: ["signedRenewalInfo": nil])),
            Sample.signer.sign(Sample.notification(data: ["signedTransactionInfo": nil, "signedRenewalInfo": nil])),
            Sample.signer.sign(Sample.notification(["subtype": .string("BILLING_RECOVERY")]), header: other),
            Sample.signer.sign(Sample.rescindedConsent()),
        ].map(\.compact)
    }()

    @Test func `no mutation of a valid notification is accepted with changed content, and none traps`() async throws {
        let verifier = SignedDataVerifier(trust: .sample)
        var signed = Set<[UInt8]>()
        for original in Self.originals {
            signed.insert(try Self.signingInput(await verifier.verify(original).get()))
        }
        let known = signed
        let mutator = Mutator(originals: Self.originals)
        let outcomes = await withTaskGroup(of: [String: Int].self) { group in
            for stream in 0..<Self.streams {
                group.addTask {
                    var random = SeededGenerator(seed: TestEnvironment.seed, stream: UInt64(stream))
                    var outcomes: [String: Int] = [:]
                    for _ in 0..<Self.count / Self.streams {
                        let mutation = mutator.mutation(&random)
                        outcomes[await Self.outcome(of: mutation, verifier, known), default: 0] += 1
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        let table = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("mutations: \(outcomes.values.reduce(0, +)), seed \(TestEnvironment.seed): \(table)")
        #expect(outcomes["accepted with changed content"] == nil, "seed \(TestEnvironment.seed)")
        #expect(outcomes.values.reduce(0, +) == Self.count)
        for code in [
            "jws_malformed", "payload_not_json", "not_utf8", "payload_duplicate_key", "kind_unknown",
            "algorithm_unsupported", "certificate_malformed", "certificate_count", "chain_untrusted",
            "signature_invalid", "accepted as it was",
        ] {
            #expect(outcomes[code] != nil, "no mutation led to \(code), seed \(TestEnvironment.seed)")
        }
    }

    private static func outcome(
        of mutation: [UInt8], _ verifier: SignedDataVerifier, _ known: Set<[UInt8]>
    ) async -> String {
        switch await verifier.verify(mutation) {
        case .failure(let refusal): refusal.code.rawValue
        case .success(let artifact):
            known.contains(signingInput(artifact)) ? "accepted as it was" : "accepted with changed content"
        }
    }

    /// The bytes that the signature covers, as they occur in the accepted text.
    private static func signingInput(_ artifact: SignedArtifact) -> [UInt8] {
        artifact.jws.map { Array($0.text[..<$0.payloadEnd]) } ?? []
    }
}
