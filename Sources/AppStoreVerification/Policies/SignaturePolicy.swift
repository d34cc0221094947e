import enum Crypto.P256
import struct Crypto.SHA256
import Primitives

/// ES256 over `header.payload`: 64 bytes R ‖ S (RFC 7518 §3.4).
enum SignaturePolicy {
    /// - Returns: the SHA-256 of the signing input, hashed once for the check and for the artifact's identity.
    static func check(_ jws: JWS, under chain: ValidatedChain) throws(Refusal) -> Digest {
        guard let key = chain.leafKey else {
            throw Refusal(
                .signatureInvalid, "the signing certificate's key does not fit ES256", expected: "a P-256 key",
                found: "another key")
        }
        let digest = jws.signingInput { input in
            var hash = SHA256()
            hash.update(bufferPointer: input)
            return hash.finalize()
        }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: digest)
        else {
            throw Refusal(.signatureInvalid, "the signature does not fit the content")
        }
        return Digest(digest)
    }
}
