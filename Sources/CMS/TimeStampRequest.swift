package import Primitives

/// A request for the time stamp of a SHA-256 imprint, with a nonce, and for the signer's certificates (RFC 3161 §2.4.1).
package struct TimeStampRequest: Hashable, Sendable {
    package let imprint: Digest
    /// A random number, which no other request has.
    package let nonce: UInt64

    package init(imprint: Digest, nonce: UInt64) {
        self.imprint = imprint
        self.nonce = nonce
    }

    /// The request in DER.
    package var bytes: [UInt8] {
        let imprint = Self.element(0x30, Self.sha256 + Self.element(0x04, imprint.bytes))
        return Self.element(0x30, Self.version + imprint + Self.element(0x02, magnitude) + Self.requestsCertificates)
    }

    /// Reads a request that `bytes` has written.
    /// - Throws: `requestMalformed`.
    package init(parsing bytes: [UInt8]) throws(TimeStampError) {
        let malformed = TimeStampError(
            .requestMalformed, "not a request for a time stamp", expected: "one made by `subledger audit anchor`",
            found: "other bytes")
        guard bytes.count >= Self.nonceStart + 1 + Self.requestsCertificates.count,
            let imprint = Digest(bytes: Array(bytes[Self.imprintStart..<Self.imprintStart + Digest.byteCount]))
        else { throw malformed }
        let nonce = bytes[Self.nonceStart...].dropLast(Self.requestsCertificates.count)
        self.init(imprint: imprint, nonce: nonce.reduce(0) { $0 << 8 | UInt64($1) })
        guard self.bytes == bytes else { throw malformed }
    }

    /// INTEGER 1
    private static let version: [UInt8] = [0x02, 0x01, 0x01]
    /// SEQUENCE of the OID 2.16.840.1.101.3.4.2.1 and NULL
    private static let sha256: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
    ]
    /// BOOLEAN TRUE
    private static let requestsCertificates: [UInt8] = [0x01, 0x01, 0xFF]
    /// Two sequences and an octet string begin before the imprint, with two bytes each.
    private static let imprintStart = 6 + version.count + sha256.count
    private static let nonceStart = imprintStart + Digest.byteCount + 2

    /// The nonce as the shortest positive INTEGER.
    private var magnitude: [UInt8] {
        let bytes = Array(([0] + nonce.bigEndianBytes).drop { $0 == 0 })
        return bytes.first.map { $0 < 0x80 } ?? false ? bytes : [0] + bytes
    }

    /// Returns an element of at most 127 bytes, which every part of a request is.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(content.count)] + content
    }
}
