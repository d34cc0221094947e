package import Primitives

/// The refusal of a request for an anchor, or of a response to it. Two errors are equal when their codes are.
package struct AnchorError: DiagnosedError, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// A verified time stamp of a checkpoint of this size, or another response to its request, is stored.
        case exists = "anchor_exists"
        /// A checkpoint of this size with another root is stored.
        case conflict = "anchor_conflict"
        /// The response is to no stored request.
        case unknown = "anchor_unknown"
        /// No root of the authority was given, now or before.
        case rootMissing = "tsa_root_missing"
    }

    package let code: Code
    package let diagnosis: Diagnosis

    init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        diagnosis = Diagnosis(code.rawValue, message, expected: expected, found: found, hint: hint)
    }

    package static func == (left: AnchorError, right: AnchorError) -> Bool {
        left.code == right.code
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}
