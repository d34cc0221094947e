package import Primitives

/// An error in a note, a key, a checkpoint or an entry bundle. Two errors are equal when their codes are.
package struct TreeError: DiagnosedError, Hashable, Sendable {
    package let code: Code
    package let diagnosis: Diagnosis

    package init(_ code: Code, _ message: String, expected: String, found: String, hint: String? = nil) {
        self.code = code
        diagnosis = Diagnosis(code.rawValue, message, expected: expected, found: found, hint: hint)
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

        /// Not a signed note: wrong encoding, control characters or signature lines.
        package static let noteMalformed = Code(rawValue: "note_malformed")
        /// More bytes or signatures than accepted.
        package static let noteTooLarge = Code(rawValue: "note_too_large")
        /// No signature of the note is by a trusted key.
        package static let noteKeyUnknown = Code(rawValue: "note_key_unknown")
        /// A signature by a trusted key does not match the text.
        package static let noteSignatureInvalid = Code(rawValue: "note_signature_invalid")
        /// Not the text of a note key.
        package static let noteKeyMalformed = Code(rawValue: "note_key_malformed")
        /// The text of a note is not a checkpoint, or the checkpoint is of another log.
        package static let checkpointMalformed = Code(rawValue: "checkpoint_malformed")
        /// Not a proof of inclusion (C2SP tlog-proof).
        package static let proofMalformed = Code(rawValue: "proof_malformed")
        /// Not a sequence of length-prefixed entries, or an entry that is too long for one.
        package static let entryBundleMalformed = Code(rawValue: "entry_bundle_malformed")
    }
}

extension TreeError: CustomStringConvertible {
    package var description: String { diagnosis.description }
}
