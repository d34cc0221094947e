import Crypto
package import Primitives

/// The public key of a witness, who cosigns checkpoints that extend all that it has cosigned before (C2SP
/// tlog-cosignature, Ed25519).
package struct WitnessVerifier: Sendable {
    package let key: NoteKey
    private let publicKey: Curve25519.Signing.PublicKey

    /// Reads `<name>+<key id>+<base64(0x04 ‖ public key)>` (a "vkey").
    ///
    /// - Throws: `noteKeyMalformed`.
    package init(text: String) throws(TreeError) {
        let (stated, bytes) = try NoteKey.parse(text, algorithm: NoteKey.cosignature)
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
            throw TreeError(
                .noteKeyMalformed, "malformed witness key", expected: "an Ed25519 public key", found: "another")
        }
        self.publicKey = publicKey
        key = NoteKey(name: stated.name, publicKey: publicKey, algorithm: NoteKey.cosignature)
        try key.require(stated: stated)
    }

    package var text: String { key.text(with: publicKey.rawRepresentation, algorithm: NoteKey.cosignature) }

    /// Returns the instant at which the witness cosigned a note; nil if it did not.
    ///
    /// - Throws: `noteSignatureInvalid` for a line of this key that is no cosignature of the text.
    package func cosignedAt(_ note: SignedNote) throws(TreeError) -> Instant? {
        guard let signature = note.signatures.first(where: { $0.key == key }) else { return nil }
        guard signature.bytes.count == Self.timeBytes + Self.signatureBytes else { throw invalid }
        let time = signature.bytes.prefix(Self.timeBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let message = Array("cosignature/v1\ntime \(time)\n\(note.text)".utf8)
        guard publicKey.isValidSignature(signature.bytes.dropFirst(Self.timeBytes), for: message),
            let seconds = Int64(exactly: time), seconds <= Instant.latest.milliseconds / 1_000
        else { throw invalid }
        return Instant(milliseconds: seconds * 1_000)
    }

    private static let timeBytes = 8
    private static let signatureBytes = 64

    private var invalid: TreeError {
        TreeError(
            .noteSignatureInvalid, "invalid cosignature of the checkpoint",
            expected: "a cosignature by \(key.name)+\(key.idText)", found: "another")
    }
}
