package import Primitives

/// The refusal of a bundle: of a question for one, or of the bytes of one. Two errors are equal when their codes are.
package struct BundleError: DiagnosedError, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// Not a ZIP file in the only form of bundles.
        case malformed = "bundle_malformed"
        /// More positions, files or bytes than a bundle may have.
        case tooLarge = "bundle_too_large"
        /// No such customer, subscription, transaction or close.
        case subjectUnknown = "subject_unknown"
        /// Several subscriptions have the id.
        case subjectAmbiguous = "subject_ambiguous"
    }

    package let code: Code
    package let diagnosis: Diagnosis

    init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        diagnosis = Diagnosis(code.rawValue, message, expected: expected, found: found, hint: hint)
    }

    package static func == (left: BundleError, right: BundleError) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
