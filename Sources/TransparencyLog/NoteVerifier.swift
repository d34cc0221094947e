import Crypto

/// A public key for signed notes, by which an auditor identifies a log.
package struct NoteVerifier: Sendable {
    package let key: NoteKey
    private let publicKey: Curve25519.Signing.PublicKey

    init(name: String, publicKey: Curve25519.Signing.PublicKey) {
        self.publicKey = publicKey
        key = NoteKey(name: name, publicKey: publicKey)
    }

    /// Reads `<name>+<key id>+<base64(0x01 ‖ public key)>` (a "vkey").
    ///
    /// - Throws: `noteKeyMalformed`.
    package init(text: String) throws(TreeError) {
        let (stated, bytes) = try NoteKey.parse(text)
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
            throw TreeError(
                .noteKeyMalformed, "malformed note key", expected: "an Ed25519 public key", found: "another")
        }
        self.init(name: stated.name, publicKey: publicKey)
        try key.require(stated: stated)
    }

    package var text: String {
        key.text(with: publicKey.rawRepresentation)
    }

    func isValid(_ signature: NoteSignature, for text: String) -> Bool {
        publicKey.isValidSignature(signature.bytes, for: Array(text.utf8))
    }
}
