/// A text with signatures over it (C2SP signed-note). Reading a note verifies nothing; only the text that
/// `verifiedText` returns is verified.
package struct SignedNote: Sendable {
    /// Ends in a newline. Not verified.
    package let text: String
    package let signatures: [NoteSignature]

    /// Twice the 16 signatures that every reader must accept.
    package static let signaturesMax = 32
    /// Room for the text and as many post-quantum signatures of 5 kB in base64.
    package static let bytesMax = 256 * 1_024

    private static let newline = UInt8(ascii: "\n")

    /// - Throws: `noteMalformed` unless the text ends in a newline, has no other control character, and has a
    ///   signature; `noteTooLarge`.
    package init(text: String, signatures: [NoteSignature]) throws(TreeError) {
        guard text.utf8.last == Self.newline, !Self.hasControlCharacters(text.utf8), !signatures.isEmpty else {
            throw Self.malformed(
                "a signature, and a text that ends in a newline and has no other control character", found: "less")
        }
        guard signatures.count <= Self.signaturesMax else { throw Self.tooManySignatures }
        self.text = text
        self.signatures = signatures
        guard self.bytes.count <= Self.bytesMax else { throw Self.tooLong(self.bytes.count) }
    }

    /// Reads a note of any origin.
    ///
    /// - Throws: `noteMalformed`, `noteTooLarge`.
    package init(bytes: [UInt8]) throws(TreeError) {
        guard bytes.count <= Self.bytesMax else { throw Self.tooLong(bytes.count) }
        guard !Self.hasControlCharacters(bytes) else {
            throw Self.malformed("no control character except newlines", found: "one")
        }
        // The text may contain empty lines, the signatures cannot. The last empty line separates them.
        let emptyLine = bytes.indices.dropFirst()
            .last { bytes[$0 - 1] == Self.newline && bytes[$0] == Self.newline }
        guard let emptyLine else {
            throw Self.malformed("an empty line between text and signatures", found: "none")
        }
        guard let text = String(validating: bytes[..<emptyLine], as: UTF8.self) else {
            throw Self.malformed("UTF-8", found: "other bytes")
        }
        let block = bytes[(emptyLine + 1)...]
        guard block.last == Self.newline else {
            throw Self.malformed("signature lines that end in a newline", found: "less")
        }
        let lines = block.dropLast()
            .split(separator: Self.newline, maxSplits: Self.signaturesMax, omittingEmptySubsequences: false)
        guard lines.count <= Self.signaturesMax else { throw Self.tooManySignatures }
        var signatures: [NoteSignature] = []
        for line in lines {
            guard let signature = NoteSignature(line: line) else {
                throw Self.malformed("— <key name> <base64> in each signature line", found: "another line")
            }
            signatures.append(signature)
        }
        self.text = text
        self.signatures = signatures
    }

    /// The published form of the note.
    package var bytes: [UInt8] {
        Array("\(text)\n\(signatures.map { $0.line + "\n" }.joined())".utf8)
    }

    /// Returns the text if at least one of `keys` signed it. Signatures by other keys are ignored.
    ///
    /// - Throws: `noteSignatureInvalid` if a signature by any of `keys` does not match the text, `noteKeyUnknown` if
    ///   there is none.
    package func verifiedText(by keys: [NoteVerifier]) throws(TreeError) -> String {
        var isVerified = false
        for signature in signatures {
            for key in keys where key.key == signature.key {
                guard key.isValid(signature, for: text) else {
                    throw TreeError(
                        .noteSignatureInvalid, "invalid signature of the note",
                        expected: "a signature of the text by key \(key.key.idText)", found: "another")
                }
                isVerified = true
            }
        }
        guard isVerified else {
            throw TreeError(
                .noteKeyUnknown, "no signature of the note by a known key",
                expected: keys.map(\.key.idText).joined(separator: " or "),
                found: signatures.map(\.key.idText).joined(separator: ", "),
                hint: "Get the public key of the log from its operator.")
        }
        return text
    }

    private static func hasControlCharacters(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { $0 < 0x20 && $0 != newline }
    }

    private static func malformed(_ expected: String, found: String) -> TreeError {
        TreeError(.noteMalformed, "malformed signed note", expected: expected, found: found)
    }

    private static func tooLong(_ count: Int) -> TreeError {
        TreeError(.noteTooLarge, "signed note too large", expected: "at most \(bytesMax) bytes", found: "\(count)")
    }

    private static var tooManySignatures: TreeError {
        TreeError(
            .noteTooLarge, "too many signatures in signed note", expected: "at most \(signaturesMax)", found: "more")
    }
}
