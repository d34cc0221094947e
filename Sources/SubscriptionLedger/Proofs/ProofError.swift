package import Primitives

/// The refusal of a proof about the log, or of a checkpoint of others. Two errors are equal when their codes are.
package struct ProofError: DiagnosedError, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// The log does not begin with the events of a checkpoint that it signed.
        case logRewritten = "log_rewritten"
        /// No event at the position.
        case positionUnknown = "position_unknown"
        /// A size beyond the log, or two in the wrong order.
        case sizeInvalid = "size_invalid"
        /// No known witness cosigned the checkpoint.
        case witnessUnknown = "witness_unknown"
    }

    package let code: Code
    package let diagnosis: Diagnosis

    init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        diagnosis = Diagnosis(code.rawValue, message, expected: expected, found: found, hint: hint)
    }

    package static func == (left: ProofError, right: ProofError) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
