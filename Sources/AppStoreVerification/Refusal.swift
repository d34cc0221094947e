package import Primitives

/// The reason that an artifact was not accepted: a result, not a failure. The code is stable; the rest is for people.
package struct Refusal: DiagnosedError, Hashable, Sendable {
    package let code: RefusalCode
    package let diagnosis: Diagnosis
    /// The claim that contains the refused nested artifact; nil for the artifact itself.
    package let part: String?
    /// Whether no configuration makes the artifact acceptable, whatever the code.
    private let isFinal: Bool

    /// - Parameters:
    ///   - hint: the remedy, a sentence.
    ///   - isFinal: whether no configuration makes the artifact acceptable. A malformed one never is.
    package init(
        _ code: RefusalCode, _ reason: String, expected: String? = nil, found: String? = nil, hint: String? = nil,
        part: String? = nil, isFinal: Bool = false
    ) {
        self.code = code
        diagnosis = Diagnosis(code.rawValue, reason, expected: expected, found: found, hint: hint)
        self.part = part
        self.isFinal = isFinal
    }

    package var reason: String { diagnosis.message }

    /// Whether the artifact is kept for a retry after a fix.
    package var isQuarantined: Bool { code.isQuarantined && !isFinal }

    func inside(_ part: String) -> Refusal {
        Refusal(code, reason, expected: expected, found: found, hint: hint, part: part, isFinal: isFinal)
    }
}

package struct RefusalCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }

    package static let jwsMalformed = RefusalCode(rawValue: "jws_malformed")
    package static let payloadNotJSON = RefusalCode(rawValue: "payload_not_json")
    package static let payloadDuplicateKey = RefusalCode(rawValue: "payload_duplicate_key")
    package static let payloadTooLarge = RefusalCode(rawValue: "payload_too_large")
    package static let payloadTooDeep = RefusalCode(rawValue: "payload_too_deep")
    package static let notUTF8 = RefusalCode(rawValue: "not_utf8")
    package static let algorithmUnsupported = RefusalCode(rawValue: "algorithm_unsupported")
    package static let certificateCount = RefusalCode(rawValue: "certificate_count")
    package static let certificateMalformed = RefusalCode(rawValue: "certificate_malformed")
    package static let environmentRefused = RefusalCode(rawValue: "environment_refused")
    package static let chainUntrusted = RefusalCode(rawValue: "chain_untrusted")
    package static let chainExpired = RefusalCode(rawValue: "chain_expired")
    package static let markerMissingLeaf = RefusalCode(rawValue: "marker_missing_leaf")
    package static let markerMissingIntermediate = RefusalCode(rawValue: "marker_missing_intermediate")
    package static let signatureInvalid = RefusalCode(rawValue: "signature_invalid")
    package static let bundleMismatch = RefusalCode(rawValue: "bundle_mismatch")
    package static let appAppleIdMismatch = RefusalCode(rawValue: "app_apple_id_mismatch")
    package static let environmentMismatch = RefusalCode(rawValue: "environment_mismatch")
    package static let nestedMismatch = RefusalCode(rawValue: "nested_mismatch")
    package static let claimMissing = RefusalCode(rawValue: "claim_missing")
    package static let claimMalformed = RefusalCode(rawValue: "claim_malformed")
    package static let dateOutOfRange = RefusalCode(rawValue: "date_out_of_range")
    package static let fromTheFuture = RefusalCode(rawValue: "from_the_future")
    package static let certificateDenied = RefusalCode(rawValue: "certificate_denied")
    package static let kindUnknown = RefusalCode(rawValue: "kind_unknown")
    package static let renewalInfoWithoutBundle = RefusalCode(rawValue: "renewal_info_without_bundle")
    package static let channelNotAuthenticated = RefusalCode(rawValue: "channel_not_authenticated")
    package static let answerMismatch = RefusalCode(rawValue: "answer_mismatch")
    package static let passwordMismatch = RefusalCode(rawValue: "password_mismatch")
    package static let bundleUnknown = RefusalCode(rawValue: "bundle_unknown")
    package static let asn1Malformed = RefusalCode(rawValue: "asn1_malformed")
    package static let asn1Limit = RefusalCode(rawValue: "asn1_limit")
    package static let cmsMalformed = RefusalCode(rawValue: "cms_malformed")
    package static let signerMissing = RefusalCode(rawValue: "signer_missing")
    package static let digestUnsupported = RefusalCode(rawValue: "digest_unsupported")
    package static let deviceHashMismatch = RefusalCode(rawValue: "device_hash_mismatch")
    package static let receiptTypeMissing = RefusalCode(rawValue: "receipt_type_missing")
    package static let needsVerifyReceipt = RefusalCode(rawValue: "needs_verify_receipt")

    /// Whether artifacts that are refused with the code are kept for a retry after a fix. Artifacts that are not even
    /// well-formed are not kept.
    package var isQuarantined: Bool { !Self.malformed.contains(self) }

    private static let malformed: Set<RefusalCode> = [
        .jwsMalformed, .payloadNotJSON, .payloadDuplicateKey, .payloadTooLarge, .payloadTooDeep, .notUTF8,
        .kindUnknown,
    ]
}
