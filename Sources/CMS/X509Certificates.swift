import COpenSSL

/// Certificates in the form of OpenSSL.
struct X509Certificates: ~Copyable {
    let stack: OpaquePointer

    /// - Parameter certificates: DER. Unreadable ones are skipped: a certificate less never makes a path valid.
    /// - Returns: nil when there is no memory.
    init?(_ certificates: [[UInt8]]) {
        guard let stack = subledger_newCertificates() else { return nil }
        self.stack = stack
        for certificate in certificates {
            // The stack owns what it accepts.
            guard let parsed = Self.parsed(certificate) else { continue }
            if subledger_addCertificate(stack, parsed) != 1 { X509_free(parsed) }
        }
    }

    deinit { subledger_releaseCertificates(stack) }

    static func isReadable(_ der: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let certificate = parsed(der) else { return false }
        X509_free(certificate)
        return true
    }

    private static func parsed(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            // d2i reads at most `buffer.count` bytes and moves only its copy of the pointer.
            var start = buffer.baseAddress
            return d2i_X509(nil, &start, buffer.count)
        }
    }
}
