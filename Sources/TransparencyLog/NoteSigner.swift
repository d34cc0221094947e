import Crypto

/// A private key for signed notes. Its description has the name and the key id, never the secret.
package struct NoteSigner: Sendable {
    package let verifier: NoteVerifier
    private let privateKey: Curve25519.Signing.PrivateKey

    private static let textPrefix = "PRIVATE+KEY+"

    private init(name: String, privateKey: Curve25519.Signing.PrivateKey) {
        self.privateKey = privateKey
        verifier = NoteVerifier(name: name, publicKey: privateKey.publicKey)
    }

    /// Generates a key with the system's random number generator.
    ///
    /// - Throws: `noteKeyMalformed` for a name that `NoteKey.isValid` rejects.
    package static func generate(name: String) throws(TreeError) -> NoteSigner {
        guard NoteKey.isValid(name: name) else {
            throw TreeError(
                .noteKeyMalformed, "invalid log name",
                expected: "a nonempty name without white space and plus signs", found: "another")
        }
        return NoteSigner(name: name, privateKey: Curve25519.Signing.PrivateKey())
    }

    /// Reads `PRIVATE+KEY+<name>+<key id>+<base64(0x01 ‖ seed)>`, the contents of a key file without the line end.
    ///
    /// - Throws: `noteKeyMalformed`; the error contains no part of the text.
    package init(secretText: String) throws(TreeError) {
        guard secretText.hasPrefix(Self.textPrefix) else {
            throw TreeError(
                .noteKeyMalformed, "malformed private note key", expected: Self.textPrefix + "…",
                found: "another prefix")
        }
        let (stated, seed) = try NoteKey.parse(secretText.dropFirst(Self.textPrefix.count))
        guard let privateKey = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
            throw TreeError(
                .noteKeyMalformed, "malformed private note key", expected: "an Ed25519 seed", found: "another")
        }
        self.init(name: stated.name, privateKey: privateKey)
        try verifier.key.require(stated: stated)
    }

    /// The secret text, intended for the key file only.
    package var secretText: String {
        Self.textPrefix + verifier.key.text(with: privateKey.rawRepresentation)
    }

    /// - Throws: `noteMalformed` or `noteTooLarge` for a text that no note can have.
    package func sign(_ text: String) throws(TreeError) -> SignedNote {
        // RFC 8032 signing cannot fail, so an error is a fault of the library.
        guard let signature = try? privateKey.signature(for: Array(text.utf8)) else {
            preconditionFailure("signing with Ed25519 failed")
        }
        return try SignedNote(text: text, signatures: [NoteSignature(key: verifier.key, bytes: Array(signature))])
    }
}

extension NoteSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "NoteSigner(\(verifier.key.name)+\(verifier.key.idText))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
