import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import LedgerTesting
import Primitives
import Testing

struct `Mutations of receipts` {
    static let count = TestEnvironment.isLong ? 1_000_000 : 100_000
    static let streams = 100

    @Test func `no mutation of a receipt is accepted with changed content, and none traps`() async throws {
        let originals = try ReceiptMutator.originals()
        let verifier = SignedDataVerifier(trust: SampleReceipt.trust)
        var contents = Set<Digest>()
        for original in originals {
            contents.insert(try await verifier.verify(original, as: .receipt).get().proof.signingInput)
        }
        let known = contents
        let outcomes = await withTaskGroup(of: [String: Int].self) { group in
            for stream in 0..<Self.streams {
                group.addTask {
                    var random = SeededGenerator(seed: TestEnvironment.seed, stream: UInt64(stream))
                    var outcomes: [String: Int] = [:]
                    for _ in 0..<Self.count / Self.streams {
                        let mutation = ReceiptMutator.mutation(of: random.element(of: originals), &random)
                        outcomes[await Self.outcome(of: mutation, verifier, known), default: 0] += 1
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        let table = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("mutated receipts: \(outcomes.values.reduce(0, +)), seed \(TestEnvironment.seed): \(table)")
        #expect(outcomes["accepted with changed content"] == nil, "seed \(TestEnvironment.seed)")
        #expect(outcomes.values.reduce(0, +) == Self.count)
        for code in [
            "cms_malformed", "asn1_malformed", "signature_invalid", "chain_untrusted", "digest_unsupported",
            "accepted as it was",
        ] {
            #expect(outcomes[code] != nil, "no mutation led to \(code), seed \(TestEnvironment.seed)")
        }
    }

    private static func outcome(
        of mutation: [UInt8], _ verifier: SignedDataVerifier, _ known: Set<Digest>
    ) async -> String {
        switch await verifier.verify(mutation, as: .receipt) {
        case .failure(let refusal): refusal.code.rawValue
        case .success(let artifact):
            known.contains(artifact.proof.signingInput) ? "accepted as it was" : "accepted with changed content"
        }
    }
}
