package import Primitives

/// The reason that a time stamp is not accepted. Two errors are equal when their codes are.
package struct TimeStampError: DiagnosedError, Hashable, Sendable {
    package enum Code: String, Sendable {
        /// More bytes than any authority sends.
        case tooLarge = "timestamp_too_large"
        /// Not a response, or bytes after it.
        case malformed = "timestamp_malformed"
        /// Not a request that this module makes.
        case requestMalformed = "timestamp_request_malformed"
        /// Not a PEM file of certificates.
        case certificateMalformed = "certificate_malformed"
        /// The authority granted no time stamp.
        case rejected = "timestamp_rejected"
        case imprintMismatch = "imprint_mismatch"
        case nonceMismatch = "nonce_mismatch"
        /// No certificate of exactly one signer.
        case signerMissing = "tsa_missing"
        /// The purposes of the signer's certificate are not time stamping alone, or are not critical.
        case purposeInvalid = "tsa_purpose_invalid"
        /// No path to a root that is valid at the time stamped.
        case untrusted = "tsa_untrusted"
        /// The token names another signer than the certificate that verifies it.
        case signerMismatch = "tsa_mismatch"
        case signatureInvalid = "timestamp_signature_invalid"
    }

    package let code: Code
    package let diagnosis: Diagnosis

    init(_ code: Code, _ message: String, expected: String? = nil, found: String? = nil, hint: String? = nil) {
        self.code = code
        diagnosis = Diagnosis(code.rawValue, message, expected: expected, found: found, hint: hint)
    }

    package static func == (left: TimeStampError, right: TimeStampError) -> Bool {
        left.code == right.code
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}

extension TimeStampError: CustomStringConvertible {
    package var description: String { diagnosis.description }
}
