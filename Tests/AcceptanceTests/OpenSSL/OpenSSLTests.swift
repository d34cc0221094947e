import AppStoreSimulation
import CMS
import LedgerTesting
import Primitives
import Testing

struct `Mutated receipts beside OpenSSL` {
    private static let count = TestEnvironment.isLong ? 10_000 : 1_000

    @Test func `each is accepted with the content that openssl cms verifies, or refused as it refuses it`() throws {
        let folder = try TemporaryFolder()
        let root = ReceiptSigner.standard.rootCertificate
        let pem = "-----BEGIN CERTIFICATE-----\n\(Self.lines(Base64.encode(root)))\n-----END CERTIFICATE-----\n"
        try File.write(Array(pem.utf8), to: "\(folder.path)/root.pem")
        let originals = try ReceiptMutator.originals()
        var random = SeededGenerator(seed: TestEnvironment.seed, stream: 1)
        var mutations: [[UInt8]] = []
        for number in 0..<Self.count {
            mutations.append(ReceiptMutator.mutation(of: random.element(of: originals), &random))
            try File.write(mutations[number], to: "\(folder.path)/\(number).der")
        }
        let shell = try ChildProcess(
            "/bin/bash", [Python.path(of: "judge.sh", beside: #filePath), folder.path])
        shell.closeInput()
        let judged = shell.remainingLines().map { $0.split(separator: " ").map(String.init) }
        try #require(shell.end() == .exited(0) && judged.count == Self.count, "\(shell.standardError)")
        var accepted = 0
        for line in judged {
            let number = try #require(Int(line[0]))
            let ours = Self.judgement(of: mutations[number], under: root)
            // OpenSSL takes an unknown digest of a signer for the one that the message declares. Ours does not.
            guard !ours.text.hasPrefix("algorithmUnsupported") else { continue }
            accepted += ours.isAccepted ? 1 : 0
            #expect(
                ours.isAccepted ? ours.text == line[1] : line[1] == "refused",
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

    private static func lines(_ base64: String) -> String {
        var lines: [Substring] = []
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: "\n")
    }
}
