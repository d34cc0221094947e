import Primitives
import Testing
import TransparencyLog

@Suite struct Checkpoints {
    static let root300 = "yjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg="
    static let emptyRoot = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func `the checkpoint of 300 entries is the published one`() throws {
        let edge = CompactRange.grown(to: 300)
        let checkpoint = Checkpoint(origin: "ledger.example/log", size: edge.size, root: edge.root)
        #expect(checkpoint.text == PublishedNote.text)
        let note = try TestKey.signer.sign(checkpoint.text)
        #expect(String(decoding: note.bytes, as: UTF8.self) == PublishedNote.note)
        #expect(try Checkpoint(note: note, verifier: NoteVerifier(text: TestKey.vkey)) == checkpoint)
    }

    @Test func `the empty log has a checkpoint`() throws {
        let checkpoint = Checkpoint(origin: "ledger.example/log", size: 0, root: MerkleTree.emptyRoot)
        #expect(checkpoint.text == "ledger.example/log\n0\n\(Self.emptyRoot)\n")
        #expect(try Checkpoint(text: checkpoint.text) == checkpoint)
    }

    @Test func `the largest size is read`() throws {
        let text = "a\n18446744073709551615\n\(Self.root300)\n"
        #expect(try Checkpoint(text: text).size == .max)
        #expect(try Checkpoint(text: text).text == text)
    }

    @Test(arguments: [
        "", "\n", "\n\n\n", "a\n1\n\(root300)", "a\n1\n", "a\n1\n\n", "1\n\(root300)\n", "\n1\n\(root300)\n",
        "a b\n1\n\(root300)\n", "a+b\n1\n\(root300)\n", "a\u{2003}b\n1\n\(root300)\n", "a\n01\n\(root300)\n",
        "a\n+1\n\(root300)\n", "a\n-1\n\(root300)\n", "a\n1 \n\(root300)\n", "a\n 1\n\(root300)\n", "a\n\n\(root300)\n",
        "a\n1.0\n\(root300)\n", "a\n0x1\n\(root300)\n", "a\n00\n\(root300)\n", "a\n18446744073709551616\n\(root300)\n",
        "a\n٣\n\(root300)\n", "a\n1\n\(root300)\nextension\n", "a\n1\n\(root300)\n\n", "a\n1\n\(root300) \n",
        "a\n1\nyjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg\n", "a\n1\nyjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eh=\n",
        "a\n1\nyjk9Apa-xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg=\n", "a\n1\nyjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2A==\n",
        "a\r\n1\r\n\(root300)\r\n", "a\n0\n\(root300)\n",
    ])
    func `a malformed checkpoint is refused`(text: String) {
        #expect(treeErrorCode { try Checkpoint(text: text) } == .checkpointMalformed)
    }

    @Test func `a checkpoint of another log is refused though the key signed it`() throws {
        let text = "other.example/log\n300\n\(Self.root300)\n"
        let note = try TestKey.signer.sign(text)
        let verifier = try TestKey.signer.verifier
        #expect(
            treeErrorCode { try Checkpoint(note: note, verifier: verifier) }
                == .checkpointMalformed)
    }

    @Test func `a checkpoint that the key did not sign is refused`() throws {
        let note = try NoteSigner.generate(name: "ledger.example/log").sign(PublishedNote.text)
        let verifier = try TestKey.signer.verifier
        #expect(
            treeErrorCode { try Checkpoint(note: note, verifier: verifier) }
                == .noteKeyUnknown)
    }
}
