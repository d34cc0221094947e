import COpenSSL
import Glibc
package import Primitives

/// A response to a request for a time stamp (RFC 3161 §2.4.2). OpenSSL reads and verifies it.
package struct TimeStampResponse: ~Copyable {
    /// Authorities send less than ten kilobytes.
    package static let byteLimit = 1 << 20

    private let response: OpaquePointer

    /// Reads a response without verifying it.
    /// - Throws: `malformed`, `tooLarge`.
    package init(parsing bytes: [UInt8]) throws(TimeStampError) {
        defer { ERR_clear_error() }
        guard bytes.count <= Self.byteLimit else {
            throw TimeStampError(
                .tooLarge, "the response is too large", expected: "at most \(Self.byteLimit) bytes", found: "more")
        }
        var rest = bytes.count
        let parsed = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            // d2i reads at most `buffer.count` bytes and moves only its copy of the pointer, behind what it has read.
            guard let first = buffer.baseAddress, !buffer.isEmpty else { return nil }
            var start = buffer.baseAddress
            let parsed = d2i_TS_RESP(nil, &start, buffer.count)
            rest -= start.map { $0 - first } ?? 0
            return parsed
        }
        guard let parsed else { throw Self.malformed("other bytes") }
        guard rest == 0 else {
            TS_RESP_free(parsed)
            throw Self.malformed("\(rest) bytes after it")
        }
        response = parsed
    }

    deinit { TS_RESP_free(response) }

    /// The imprint that the response states, not verified; nil if it is not a SHA-256.
    /// - Throws: `rejected`.
    package var statedImprint: Digest? {
        get throws(TimeStampError) {
            let imprint = TS_TST_INFO_get_msg_imprint(try content())
            return Digest(bytes: Self.bytes(of: TS_MSG_IMPRINT_get_msg(imprint)))
        }
    }

    /// Verifies that a trusted authority has granted the request: status, imprint, nonce, signature, the identity of the
    /// signer (RFC 5035 §4), its purpose (RFC 3161 §2.3), and its path to a root at the time stamped.
    ///
    /// The path is verified at that time and not now, since it outlives its certificates: a time stamp proves no less
    /// after they expire.
    /// - Parameters:
    ///   - roots: trusted certificates, as DER.
    ///   - intermediates: more certificates for the path, as DER.
    package borrowing func verify(
        _ request: TimeStampRequest, roots: [[UInt8]], intermediates: [[UInt8]]
    ) throws(TimeStampError) -> TimeStamp {
        defer { ERR_clear_error() }
        let content = try content()
        guard let genTime = Self.instant(TS_TST_INFO_get_time(content)) else {
            throw Self.malformed("an unreadable time")
        }
        guard let certificates = X509Certificates(intermediates), let roots = X509Certificates(roots) else {
            throw TimeStampError(.untrusted, "no memory")
        }
        guard let signer = subledger_timeStampSigner(TS_RESP_get_token(response), certificates.stack) else {
            throw TimeStampError(
                .signerMissing, "the certificate of the signer is missing", expected: "one signer", found: "another",
                hint: "Get the authority's certificates and use --tsa-chain FILE.")
        }
        // OpenSSL ignores further purposes that it does not know.
        guard subledger_isTimeStampingOnly(signer) == 1 else {
            throw TimeStampError(
                .purposeInvalid, "the signer is no authority for time stamps",
                expected: "time stamping as the only purpose, critical", found: Self.subject(of: signer))
        }
        let timeStamp = TimeStamp(
            genTime: genTime, authority: Self.subject(of: signer),
            serialNumber: Hex.encode(Self.bytes(of: TS_TST_INFO_get_serial(content))))
        // The last use of the certificates, of which the signer may be one.
        try verify(request, at: genTime, roots, certificates)
        return timeStamp
    }

    private static func malformed(_ found: String) -> TimeStampError {
        TimeStampError(.malformed, "not a response of a time stamp authority", expected: "one in DER", found: found)
    }
}

extension TimeStampResponse {
    /// Returns the content of a granted response. The response owns it.
    /// - Throws: `rejected`, `malformed`.
    private borrowing func content() throws(TimeStampError) -> OpaquePointer {
        let status = TS_RESP_get_status_info(response)
        // granted, grantedWithMods
        guard (0...1).contains(ASN1_INTEGER_get(TS_STATUS_INFO_get0_status(status))) else {
            throw TimeStampError(
                .rejected, "the authority granted no time stamp", expected: "status 0 or 1",
                found: Self.description(of: status))
        }
        guard let content = TS_RESP_get_tst_info(response) else { throw Self.malformed("no time stamp") }
        return content
    }

    private borrowing func verify(
        _ request: TimeStampRequest, at instant: Instant, _ roots: borrowing X509Certificates,
        _ certificates: borrowing X509Certificates
    ) throws(TimeStampError) {
        let requested = request.bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_TS_REQ(nil, &start, buffer.count)
        }
        let store = X509_STORE_new()
        defer {
            TS_REQ_free(requested)
            X509_STORE_free(store)
        }
        guard let requested, let store else { throw TimeStampError(.untrusted, "no memory") }
        for index in 0..<subledger_certificateCount(roots.stack) {
            // The store counts its own reference.
            X509_STORE_add_cert(store, subledger_certificate(roots.stack, index))
        }
        let parameters = X509_STORE_get0_param(store)
        X509_VERIFY_PARAM_set_time(parameters, time_t(instant.milliseconds.flooringDivided(by: 1_000)))
        // At least 112 bits of security, which excludes SHA-1 and short keys.
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        ERR_clear_error()
        guard subledger_verifyTimeStamp(requested, response, store, certificates.stack) == 1 else {
            throw Self.lastError()
        }
    }
}

extension TimeStampResponse {
    /// Returns the meaning of the last error of OpenSSL.
    private static func lastError() -> TimeStampError {
        var data: UnsafePointer<CChar>?
        var flags: Int32 = 0
        let error = ERR_peek_last_error_data(&data, &flags)
        // The queue owns the text until it is cleared.
        let text = flags & ERR_TXT_STRING != 0 ? data.map { String(cString: $0) } : nil
        let found = text ?? ERR_reason_error_string(error).map { String(cString: $0) } ?? "another"
        switch (subledger_library(error), subledger_reason(error)) {
        case (ERR_LIB_TS, TS_R_MESSAGE_IMPRINT_MISMATCH):
            return TimeStampError(.imprintMismatch, "the time stamp is of other bytes", found: found)
        case (ERR_LIB_TS, TS_R_NONCE_MISMATCH), (ERR_LIB_TS, TS_R_NONCE_NOT_RETURNED):
            return TimeStampError(.nonceMismatch, "the time stamp answers another request", found: found)
        case (ERR_LIB_TS, TS_R_CERTIFICATE_VERIFY_ERROR):
            return TimeStampError(
                .untrusted, "the authority has no path to a trusted root", expected: "a path valid at the time stamped",
                found: found, hint: "Use --tsa-root and --tsa-chain with the certificates of the authority.")
        case (ERR_LIB_ESS, _), (ERR_LIB_TS, TS_R_ESS_SIGNING_CERTIFICATE_ERROR),
            (ERR_LIB_TS, TS_R_ESS_ADD_SIGNING_CERT_ERROR), (ERR_LIB_TS, TS_R_ESS_ADD_SIGNING_CERT_V2_ERROR),
            (ERR_LIB_TS, TS_R_TSA_NAME_MISMATCH), (ERR_LIB_TS, TS_R_TSA_UNTRUSTED):
            return TimeStampError(.signerMismatch, "the time stamp names another signer", found: found)
        default:
            return TimeStampError(.signatureInvalid, "the signature of the time stamp is invalid", found: found)
        }
    }

    /// The bits of PKIFailureInfo (RFC 3161 §2.4.2).
    private static let failures: [(bit: Int32, name: String)] = [
        (0, "badAlg"), (2, "badRequest"), (5, "badDataFormat"), (14, "timeNotAvailable"), (15, "unacceptedPolicy"),
        (16, "unacceptedExtension"), (17, "addInfoNotAvailable"), (25, "systemFailure"),
    ]

    private static func description(of status: OpaquePointer?) -> String {
        guard let status else { return "none" }
        var words = ["status \(ASN1_INTEGER_get(TS_STATUS_INFO_get0_status(status)))"]
        let info = TS_STATUS_INFO_get0_failure_info(status)
        words += failures.filter { ASN1_BIT_STRING_get_bit(info, $0.bit) == 1 }.map(\.name)
        if let text = subledger_statusText(status) { words.append(String(decoding: bytes(of: text), as: UTF8.self)) }
        return words.joined(separator: ", ")
    }

    private static func bytes(of string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        guard let string, let start = ASN1_STRING_get0_data(string) else { return [] }
        // The string owns `length` bytes from `start` on, and lives as long as the response.
        return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(string))))
    }

    /// Reads a GeneralizedTime, whose seconds may have a fraction.
    private static func instant(_ time: UnsafePointer<ASN1_STRING>?) -> Instant? {
        var calendar = tm()
        guard let time, ASN1_TIME_to_tm(time, &calendar) == 1 else { return nil }
        let fraction = bytes(of: time).drop { $0 != UInt8(ascii: ".") }.dropFirst().prefix { (48...57).contains($0) }
        let milliseconds = (fraction + [48, 48, 48]).prefix(3).reduce(0) { $0 * 10 + Int64($1 - 48) }
        return Instant(milliseconds: Int64(timegm(&calendar)) * 1_000 + milliseconds)
    }

    private static func subject(of certificate: OpaquePointer) -> String {
        let output = BIO_new(BIO_s_mem())
        defer { BIO_free(output) }
        X509_NAME_print_ex(output, X509_get_subject_name(certificate), 0, subledger_rfc2253)
        let text = [UInt8](unsafeUninitializedCapacity: 1_024) { buffer, initialized in
            // BIO_read writes at most the capacity, and returns how many bytes it has written, or a negative number.
            initialized = max(0, Int(BIO_read(output, buffer.baseAddress, 1_024)))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
