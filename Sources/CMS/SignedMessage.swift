import COpenSSL

/// A SignedData message (RFC 5652 §5) with its content, in BER or DER. OpenSSL reads and verifies it.
///
/// Bytes after the message are ignored. Certificates and signers are not signed themselves: anybody can change them.
package struct SignedMessage: ~Copyable {
    /// Apple's messages have three certificates and one signer.
    private static let certificateLimit = 16
    private static let signerLimit = 4

    /// The signed octets.
    package let content: [UInt8]
    private let message: OpaquePointer
    /// The certificates in the message; nil for none.
    private let certificates: OpaquePointer?

    /// Reads a message without verifying it.
    /// - Throws: `malformed`, `tooMany`.
    package init(parsing bytes: [UInt8]) throws(CMSError) {
        defer { ERR_clear_error() }
        let parsed = bytes.withUnsafeBufferPointer { buffer in
            // d2i reads at most `buffer.count` bytes and moves only its copy of the pointer.
            var start = buffer.baseAddress
            return d2i_CMS_ContentInfo(nil, &start, buffer.count)
        }
        guard let parsed else { throw .malformed }
        let certificates = CMS_get1_certs(parsed)
        do throws(CMSError) {
            guard OBJ_obj2nid(CMS_get0_type(parsed)) == NID_pkcs7_signed, let content = Self.content(of: parsed) else {
                throw .malformed
            }
            guard subledger_certificateCount(certificates) <= Self.certificateLimit else {
                throw .tooMany("\(subledger_certificateCount(certificates)) certificates")
            }
            guard subledger_signerCount(parsed) <= Self.signerLimit else {
                throw .tooMany("\(subledger_signerCount(parsed)) signers")
            }
            self.content = content
        } catch {
            subledger_releaseCertificates(certificates)
            CMS_ContentInfo_free(parsed)
            throw error
        }
        message = parsed
        self.certificates = certificates
    }

    deinit {
        subledger_releaseCertificates(certificates)
        CMS_ContentInfo_free(message)
    }

    /// Copies the content; nil when the message does not contain it.
    private static func content(of message: OpaquePointer) -> [UInt8]? {
        guard let content = CMS_get0_content(message)?.pointee, let start = ASN1_STRING_get0_data(content) else {
            return nil
        }
        // The string owns `length` bytes from `start` on as long as the message lives.
        return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(content))))
    }
}

extension SignedMessage {
    /// The certificates in the message, as DER, in its order.
    package var embeddedCertificates: [[UInt8]] { Self.certificates(in: certificates) }

    /// A signer of the content.
    package struct Signer: Sendable {
        /// The certificate as DER.
        package let certificate: [UInt8]
        /// Whether SHA-1 is the digest of the content.
        package let usesSHA1: Bool
    }

    /// Returns the signers, whose certificates are in the message.
    /// - Throws: `signerMissing`, `algorithmUnsupported`.
    package borrowing func signers() throws(CMSError) -> [Signer] {
        try certificatesOfSigners().map { Signer(certificate: Self.der(of: $0.certificate), usesSHA1: $0.usesSHA1) }
    }

    /// The path from a signer to an anchor.
    package struct Path: Sendable {
        /// The certificates as DER: the signer's, then each issuer's, the anchor last.
        package let certificates: [[UInt8]]
        /// Whether SHA-1 signs a certificate below the anchor.
        package let usesSHA1: Bool
    }

    /// Finds the path of every signer to an anchor (RFC 5280 §6) and returns that of the first. Validity in time is not
    /// checked, nor is the signature of the content.
    /// - Parameter anchor: a certificate as DER.
    /// - Throws: `signerMissing`, `algorithmUnsupported`, `untrusted`.
    package borrowing func path(to anchor: [UInt8]) throws(CMSError) -> Path {
        defer { ERR_clear_error() }
        var first: Path?
        for signer in try certificatesOfSigners() {
            let path = try path(of: signer.certificate, to: anchor)
            first = first ?? path
        }
        guard let first else { throw .signerMissing }
        return first
    }

    /// Verifies the signature of every signer over the content, and the digest in signed attributes.
    /// The caller has established trust in the certificates of the signers: it checks signatures alone.
    /// - Throws: `signatureInvalid`.
    package borrowing func verifySignatures() throws(CMSError) {
        defer { ERR_clear_error() }
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        guard CMS_verify(message, nil, nil, nil, nil, flags) == 1 else { throw .signatureInvalid }
    }
}

extension SignedMessage {
    private static let sha1Signatures: Set<Int32> = [NID_sha1WithRSAEncryption, NID_sha1WithRSA]
    private static let sha256Signatures: Set<Int32> = [NID_sha256WithRSAEncryption]

    /// Returns the certificates of the signers, which the message owns.
    private borrowing func certificatesOfSigners() throws(CMSError) -> [(certificate: OpaquePointer, usesSHA1: Bool)] {
        defer { ERR_clear_error() }
        guard subledger_signerCount(message) > 0, CMS_set1_signers_certs(message, nil, 0) >= 0 else {
            throw .signerMissing
        }
        var signers: [(certificate: OpaquePointer, usesSHA1: Bool)] = []
        for index in 0..<subledger_signerCount(message) {
            var certificate: OpaquePointer?
            var digest: UnsafeMutablePointer<X509_ALGOR>?
            CMS_SignerInfo_get0_algs(subledger_signer(message, index), nil, &certificate, &digest, nil)
            guard let certificate else { throw .signerMissing }
            signers.append((certificate, try Self.usesSHA1(digest)))
        }
        return signers
    }

    /// The algorithm of the signature follows from the key, which is that of a certificate below an anchor.
    private static func usesSHA1(_ digest: UnsafeMutablePointer<X509_ALGOR>?) throws(CMSError) -> Bool {
        let type = OBJ_obj2nid(digest?.pointee.algorithm)
        guard type == NID_sha1 || type == NID_sha256 else { throw .algorithmUnsupported(name(of: type)) }
        return type == NID_sha1
    }

    private static func name(of type: Int32) -> String {
        guard type != NID_undef, let name = OBJ_nid2sn(type) else { return "an unknown algorithm" }
        return String(cString: name)
    }

    private borrowing func path(of signer: OpaquePointer, to anchor: [UInt8]) throws(CMSError) -> Path {
        let (store, context) = (X509_STORE_new(), X509_STORE_CTX_new())
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
        }
        guard let store, let context else { throw .untrusted("no memory") }
        guard let trusted = Self.certificate(anchor) else { throw .untrusted("the root cannot be read") }
        // The store counts its own reference.
        X509_STORE_add_cert(store, trusted)
        X509_free(trusted)
        guard X509_STORE_CTX_init(context, store, signer, certificates) == 1 else { throw .untrusted("no memory") }
        let parameters = X509_STORE_CTX_get0_param(context)
        // Apple's old certificates are signed with SHA-1, which every higher level refuses.
        X509_VERIFY_PARAM_set_auth_level(parameters, 0)
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
        guard X509_verify_cert(context) == 1 else {
            let reason = X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context)))
            throw .untrusted(reason.map { String(cString: $0) } ?? "no path to a trusted root")
        }
        return try Self.path(X509_STORE_CTX_get0_chain(context))
    }

    private static func path(_ chain: OpaquePointer?) throws(CMSError) -> Path {
        let count = subledger_certificateCount(chain)
        var usesSHA1 = false
        // Nobody relies on the signature of the anchor.
        for index in 0..<max(0, count - 1) {
            let signature = X509_get_signature_nid(subledger_certificate(chain, index))
            guard sha1Signatures.contains(signature) || sha256Signatures.contains(signature) else {
                throw .algorithmUnsupported(name(of: signature))
            }
            usesSHA1 = usesSHA1 || sha1Signatures.contains(signature)
        }
        return Path(certificates: certificates(in: chain), usesSHA1: usesSHA1)
    }

    private static func certificates(in chain: OpaquePointer?) -> [[UInt8]] {
        (0..<max(0, subledger_certificateCount(chain))).map { der(of: subledger_certificate(chain, $0)) }
    }

    private static func der(of certificate: OpaquePointer?) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_X509(certificate, &start))
        guard count > 0, let start else { return [] }
        // i2d allocated `count` bytes for its caller. OPENSSL_free is a macro for CRYPTO_free.
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    private static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_X509(nil, &start, buffer.count)
        }
    }
}
