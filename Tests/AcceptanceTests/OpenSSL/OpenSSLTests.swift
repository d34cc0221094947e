import AppStoreSimulation
import CMS
import LedgerTesting
import Primitives
import Testing

struct `Mutated receipts beside OpenSSL` {
    private static let count = TestEnvironment.isLong ? 10_000 : 1_000

    @Test func `each is accepted with the content that openssl cms verifies, or refused as it refuses it`() throws {
        let root = ReceiptSigner.standard.rootCertificate
        let originals = try ReceiptMutator.originals()
        var random = SeededGenerator(seed: TestEnvironment.seed, stream: 1)
        var mutations: [[UInt8]] = []
        for _ in 0..<Self.count {
            mutations.append(ReceiptMutator.mutation(of: random.element(of: originals), &random))
        }
        var accepted = 0
        for (number, judgement) in try OpenSSLJudge(mutations, root: root).judgements.enumerated() {
            let ours = Self.judgement(of: mutations[number], under: root)
            // OpenSSL takes an unknown digest of a signer for the one that the message declares. Ours does not.
            guard !ours.text.hasPrefix("algorithmUnsupported") else { continue }
            accepted += ours.isAccepted ? 1 : 0
            #expect(
                ours.isAccepted ? ours.text == judgement : judgement == "refused",
                "mutation \(number), seed \(TestEnvironment.seed): \(ours.text)")
        }
        print("mutated receipts beside OpenSSL: \(Self.count), \(accepted) accepted")
        #expect(accepted > Self.count / 20)
    }

    /// The digest of the content, if signers and signatures are accepted; else the error.
    private static func judgement(of container: [UInt8], under root: [UInt8]) -> (isAccepted: Bool, text: String) {
        do throws(CMSError) {
            let message = try SignedMessage(parsing: container)
            _ = try message.path(to: root)
            try message.verifySignatures()
            return (true, Digest.sha256(of: message.content).hex)
        } catch {
            return (false, "\(error)")
        }
    }
}
