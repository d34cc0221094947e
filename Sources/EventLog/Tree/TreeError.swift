/// What is wrong with a note, a key, a checkpoint or an entry bundle. Equal when the codes are.
package struct TreeError: Error, Hashable, Sendable {
    package let code: Code
    package let message: String
    package let expected: String
    package let found: String
    package let hint: String?

    init(_ code: Code, _ message: String, expected: String, found: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.expected = expected
        self.found = found
        self.hint = hint
    }

    package static func == (left: TreeError, right: TreeError) -> Bool {
        left.code == right.code
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}

extension TreeError {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Not the form of a signed note: encoding, control characters, signature lines.
        package static let noteMalformed = Code(rawValue: "note_malformed")
        /// More bytes or signatures than are read.
        package static let noteTooLarge = Code(rawValue: "note_too_large")
        /// No signature of the note is by a key that is trusted.
        package static let noteKeyUnknown = Code(rawValue: "note_key_unknown")
        /// A signature by a trusted key does not fit the text.
        package static let noteSignatureInvalid = Code(rawValue: "note_signature_invalid")
        /// Not the text of a note key.
        package static let noteKeyMalformed = Code(rawValue: "note_key_malformed")
        /// The text of a note is not that of a checkpoint, or speaks of another log.
        package static let checkpointMalformed = Code(rawValue: "checkpoint_malformed")
        /// Not a sequence of length-prefixed entries, or one that cannot be written as such.
        package static let entryBundleMalformed = Code(rawValue: "entry_bundle_malformed")
    }
}

extension TreeError: CustomStringConvertible {
    package var description: String {
        "\(code.rawValue): \(message); expected \(expected), found \(found).\(hint.map { " " + $0 } ?? "")"
    }
}
