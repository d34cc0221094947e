package import Primitives

/// The commitment of a log to its first `size` events, by the root of their tree (C2SP tlog-checkpoint).
package struct Checkpoint: Hashable, Sendable {
    /// The log's identity, and the name of its signing key.
    package let origin: String
    package let size: UInt64
    package let root: Digest

    /// - Precondition: `origin` is a valid name (`NoteKey.isValid`). It comes from configuration, which is checked.
    package init(origin: String, size: UInt64, root: Digest) {
        precondition(NoteKey.isValid(name: origin), "an origin is not empty and has neither white space nor plus signs")
        self.origin = origin
        self.size = size
        self.root = root
    }

    /// The signed text: one line each for the origin, the size and the root.
    package var text: String {
        "\(origin)\n\(size)\n\(Base64.encode(root.bytes))\n"
    }

    /// Reads the text of a checkpoint in its only valid form. Extension lines are refused: nobody can audit their
    /// contents, and this log writes none.
    ///
    /// - Throws: `checkpointMalformed`.
    package init(text: String) throws(TreeError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 4, lines[3].isEmpty else {
            throw Self.malformed("three lines: origin, size, root", found: "\(lines.count - 1)")
        }
        let origin = String(Substring(lines[0]))
        guard NoteKey.isValid(name: origin) else {
            throw Self.malformed("an origin without white space or plus sign", found: "another")
        }
        guard let size = UInt64(canonicalDecimal: lines[1]) else {
            throw Self.malformed("a decimal size without leading zeros", found: "an invalid second line")
        }
        guard let bytes = Base64.decode(String(Substring(lines[2]))), let root = Digest(bytes: bytes) else {
            throw Self.malformed("base64 of 32 bytes", found: "an invalid third line")
        }
        guard size > 0 || root == MerkleTree.emptyRoot else {
            throw Self.malformed("the root of the empty tree at size 0", found: "another")
        }
        self.init(origin: origin, size: size, root: root)
    }

    /// Creates the checkpoint in `note`, which the log of `verifier` must have signed.
    ///
    /// - Throws: the errors of `SignedNote.verifiedText`; `checkpointMalformed` for a malformed text, or if the origin
    ///   is not the key's name.
    package init(note: SignedNote, verifier: NoteVerifier) throws(TreeError) {
        try self.init(text: note.verifiedText(by: [verifier]))
        guard NoteKey.isSame(origin, verifier.key.name) else {
            throw Self.malformed("the key name as the origin", found: "another")
        }
    }

    private static func malformed(_ expected: String, found: String) -> TreeError {
        TreeError(.checkpointMalformed, "malformed checkpoint", expected: expected, found: found)
    }
}
