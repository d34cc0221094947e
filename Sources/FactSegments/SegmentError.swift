package import Primitives

/// The refusal of a segment, of partial sums, or of the inputs of a fold.
package struct SegmentError: DiagnosedError, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// The stream ends before its end frame.
        case truncated = "segment_truncated"
        /// Bytes that no writer writes there.
        case corrupt = "segment_corrupt"
        /// Another version of the format, the facts or the tables.
        case versionUnknown = "version_unknown"
        /// The segment belongs to other inputs, or the inputs cannot be read.
        case inputsInvalid = "inputs_invalid"
    }

    package let code: Code
    package let diagnosis: Diagnosis

    package init(_ code: Code, _ message: String, expected: String, found: String) {
        self.code = code
        diagnosis = Diagnosis(
            code.rawValue, message, expected: expected, found: found, hint: Self.hint(code))
    }

    private static func hint(_ code: Code) -> String {
        switch code {
        case .truncated, .corrupt: "Copy the file again from the export, and compare its SHA-256 with the manifest."
        case .versionUnknown: "Use subledger-fold of the version that exported the facts."
        case .inputsInvalid: "Use the inputs.json of the export that the segment belongs to."
        }
    }
}
