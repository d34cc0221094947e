import LedgerTesting
import Primitives
import Testing
import TransparencyLog

import enum Crypto.Curve25519

@Suite struct `Cosignatures of witnesses` {
    private static let name = "witness.example/w"
    private let key = Curve25519.Signing.PrivateKey()

    /// The key id and the key text follow C2SP signed-note; they are computed here by themselves.
    private func material(_ type: UInt8) -> (id: [UInt8], text: String) {
        let public_ = [type] + Array(key.publicKey.rawRepresentation)
        let id = Array(Digest.sha256(of: Array("\(Self.name)\n".utf8) + public_).bytes.prefix(4))
        return (id, "\(Self.name)+\(Hex.encode(id))+\(Base64.encode(public_))")
    }

    private func cosigned(_ time: UInt64, signing signed: UInt64? = nil) throws -> SignedNote {
        let text = "cosignature/v1\ntime \(signed ?? time)\n\(PublishedNote.text)"
        let signature = try key.signature(for: Array(text.utf8))
        let payload = material(4).id + time.bigEndianBytes + Array(signature)
        return try SignedNote(
            bytes: Array((PublishedNote.note + "\u{2014} \(Self.name) \(Base64.encode(payload))\n").utf8))
    }

    @Test func `state their time, and leave the log's own signature valid`() throws {
        let witness = try WitnessVerifier(text: material(4).text)
        #expect(witness.text == material(4).text)
        let note = try cosigned(1_767_225_600)
        #expect(try witness.cosignedAt(note) == Instant(milliseconds: 1_767_225_600_000))
        #expect(try note.verifiedText(by: [NoteVerifier(text: TestKey.vkey)]) == PublishedNote.text)
        #expect(try witness.cosignedAt(SignedNote(bytes: Array(PublishedNote.note.utf8))) == nil)
    }

    @Test func `are refused with another time, and with a time that no clock shows`() throws {
        let witness = try WitnessVerifier(text: material(4).text)
        for note in [try cosigned(5, signing: 6), try cosigned(.max)] {
            #expect(treeErrorCode { try witness.cosignedAt(note) } == .noteSignatureInvalid)
        }
    }

    @Test func `come from keys of their own type`() throws {
        #expect(treeErrorCode { try WitnessVerifier(text: material(1).text) } == .noteKeyMalformed)
        #expect(treeErrorCode { try NoteVerifier(text: material(4).text) } == .noteKeyMalformed)
        let other = material(4).text.replacing("witness", with: "another")
        #expect(treeErrorCode { try WitnessVerifier(text: other) } == .noteKeyMalformed)
    }
}
