import Primitives

import enum Crypto.P256
import struct Crypto.SHA256

/// ES256 over `header.payload`: 64 bytes R ‖ S (RFC 7518 §3.4).
enum SignaturePolicy {
    static func check(_ jws: JWS, under chain: ValidatedChain) throws(Refusal) -> JWSDigests {
        guard let key = chain.leafKey else {
            throw Refusal(
                .signatureInvalid, "the key of the signing certificate does not support ES256", expected: "a P-256 key",
                found: "another key type")
        }
        let digests = JWSDigests(of: jws)
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: digests.signed)
        else {
            throw Refusal(.signatureInvalid, "the signature is invalid")
        }
        return digests
    }
}

/// The two SHA-256 values of a JWS, computed in one pass. `signed` covers `header.payload`, as the signature does. It
/// identifies the artifact, because the spellings of one signature are one artifact. `text` covers the whole text.
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
