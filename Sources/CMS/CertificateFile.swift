import Primitives

/// Certificates in a PEM file (RFC 7468). Text around them is ignored.
package enum CertificateFile {
    private static let beginning = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// Returns the certificates as DER, without repetitions, in order.
    /// - Throws: `certificateMalformed` if there is none.
    package static func certificates(in bytes: [UInt8]) throws(TimeStampError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var body: String?
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let line = String(decoding: line, as: UTF8.self).trimmingSpaces
            switch line {
            case beginning: body = ""
            case end:
                guard let der = body.flatMap({ Base64.decode($0) }), X509Certificates.isReadable(der) else {
                    throw malformed("another text between the lines of PEM")
                }
                if !certificates.contains(der) { certificates.append(der) }
                body = nil
            default: body?.append(line)
            }
        }
        guard body == nil, !certificates.isEmpty else { throw malformed("none") }
        return certificates
    }

    /// Returns the file of certificates in DER.
    package static func bytes(of certificates: [[UInt8]]) -> [UInt8] {
        var lines: [String] = []
        for certificate in certificates {
            var body = Base64.encode(certificate)[...]
            lines.append(beginning)
            while !body.isEmpty {
                lines.append(String(body.prefix(64)))
                body = body.dropFirst(64)
            }
            lines.append(end)
        }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    private static func malformed(_ found: String) -> TimeStampError {
        TimeStampError(
            .certificateMalformed, "no certificates in the file", expected: "certificates in PEM", found: found)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
