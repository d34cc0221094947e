import Primitives

import enum Crypto.P256
import struct Crypto.SHA256

/// ES256 over `header.payload`: 64 bytes R ‖ S (RFC 7518 §3.4).
enum SignaturePolicy {
    static func check(_ jws: JWS, under chain: ValidatedChain) throws(Refusal) -> JWSDigests {
        guard let key = chain.leafKey else {
            throw Refusal(
                .signatureInvalid, "the signing certificate's key does not fit ES256", expected: "a P-256 key",
                found: "another key")
        }
        let digests = JWSDigests(of: jws)
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: digests.signed)
        else {
            throw Refusal(.signatureInvalid, "the signature does not fit the content")
        }
        return digests
    }
}

/// The two SHA-256 values of a JWS, hashed in one pass: of `header.payload`, which is what the signature covers and
/// what names the artifact (the spellings of one signature are one artifact), and of the whole text.
struct JWSDigests {
    let signed: SHA256.Digest
    let text: Digest

    var signingInput: Digest { Digest(signed) }

    init(of jws: JWS) {
        (signed, text) = jws.text.withUnsafeBytes { text in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: text[..<jws.payloadEnd]))
            let signed = hash.finalize()
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: text[jws.payloadEnd...]))
            return (signed, Digest(hash.finalize()))
        }
    }
}
