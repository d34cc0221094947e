import Crypto

/// A private key for signed notes. Prints as its name and key id, never as the secret.
package struct NoteSigner: Sendable {
    package let verifier: NoteVerifier
    private let privateKey: Curve25519.Signing.PrivateKey

    private static let textPrefix = "PRIVATE+KEY+"

    private init(name: String, privateKey: Curve25519.Signing.PrivateKey) {
        self.privateKey = privateKey
        verifier = NoteVerifier(name: name, publicKey: privateKey.publicKey)
    }

    /// A new key from the system's randomness.
    ///
    /// - Throws: `noteKeyMalformed` for a name that `NoteKey.isValid` refuses.
    package static func generate(name: String) throws(TreeError) -> NoteSigner {
        guard NoteKey.isValid(name: name) else {
            throw TreeError(
                .noteKeyMalformed, "a log cannot have this name",
                expected: "a name that is not empty and has neither white space nor a plus sign", found: "another")
        }
        return NoteSigner(name: name, privateKey: Curve25519.Signing.PrivateKey())
    }

    /// Reads `PRIVATE+KEY+<name>+<key id>+<base64(0x01 ‖ seed)>`, the whole of a key file without its line end.
    ///
    /// - Throws: `noteKeyMalformed`; the error holds nothing of the text.
    package init(secretText: String) throws(TreeError) {
        guard secretText.hasPrefix(Self.textPrefix) else {
            throw TreeError(
                .noteKeyMalformed, "a private note key is malformed", expected: Self.textPrefix + "…",
                found: "another beginning")
        }
        let (stated, seed) = try NoteKey.parse(secretText.dropFirst(Self.textPrefix.count))
        guard let privateKey = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
            throw TreeError(
                .noteKeyMalformed, "a private note key is malformed", expected: "an Ed25519 seed", found: "another")
        }
        self.init(name: stated.name, privateKey: privateKey)
        try verifier.key.require(stated: stated)
    }

    /// The secret, for the key file and nothing else.
    package var secretText: String {
        Self.textPrefix + verifier.key.text(with: privateKey.rawRepresentation)
    }

    /// - Throws: `noteMalformed` for a text that no note can have.
    package func sign(_ text: String) throws(TreeError) -> SignedNote {
        // RFC 8032 signing has no way to fail; what is left is a fault of the library.
        guard let signature = try? privateKey.signature(for: Array(text.utf8)) else {
            preconditionFailure("Ed25519 could not sign")
        }
        return try SignedNote(text: text, signatures: [NoteSignature(key: verifier.key, bytes: Array(signature))])
    }
}

extension NoteSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "NoteSigner(\(verifier.key.name)+\(verifier.key.idText))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
