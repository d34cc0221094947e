package import Primitives
import SwiftASN1
import X509

/// Apple's roots, pinned by the SHA-256 of their certificates. The root in x5c becomes the anchor only if it is one of
/// these. https://www.apple.com/certificateauthority/
enum ApplePins {
    /// Apple Root CA - G3 signs the chains of JWS today; G2 may.
    static let jws: Set<Digest> = Set(
        [
            "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
            "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
        ].compactMap(Digest.init(hex:)))

    /// Apple Root CA signs the chains of receipts.
    static let receipts: Set<Digest> = Set(
        ["b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"].compactMap(Digest.init(hex:)))
}

/// A root certificate that an operator configured, for tests and simulators. It anchors by its key. The root in x5c is
/// ignored, because test data re-issues roots with the same key and other bytes.
package struct ConfiguredRoot: Sendable {
    let certificate: Certificate
    package let der: [UInt8]
    package let fingerprint: Digest

    /// - Parameter file: one certificate, PEM or DER.
    /// - Throws: `certificate_malformed` when it is neither.
    package init(file: [UInt8]) throws(Refusal) {
        do {
            der =
                file.starts(with: Array("-----BEGIN".utf8))
                ? try PEMDocument(pemString: String(decoding: file, as: UTF8.self)).derBytes : file
            certificate = try Certificate(derEncoded: der)
            fingerprint = .sha256(of: der)
        } catch {
            throw Refusal(
                .certificateMalformed, "the trust root is not a certificate",
                expected: "one X.509 certificate, PEM or DER",
                found: "a file of \(file.count) bytes in another format")
        }
    }
}
