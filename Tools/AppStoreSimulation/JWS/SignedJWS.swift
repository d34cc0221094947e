package import Primitives

/// A JSON Web Signature in parts, and the variants that a verifier must recognise.
package struct SignedJWS: Sendable {
    package let header: [UInt8]
    package let payload: [UInt8]
    /// R and S, 32 bytes each for ES256.
    package let signature: [UInt8]
    /// `header.payload` in base64url: the signed bytes, which also identify the artifact.
    package let signingInput: [UInt8]

    init(header: [UInt8], payload: [UInt8], signature: [UInt8], signingInput: [UInt8]) {
        self.header = header
        self.payload = payload
        self.signature = signature
        self.signingInput = signingInput
    }

    /// The compact serialization, RFC 7515 §3.1.
    package var compact: [UInt8] {
        signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature).utf8
    }

    /// The SHA-256 of the signing input.
    package var digest: Digest { Digest.sha256(of: signingInput) }

    package var text: String { String(decoding: compact, as: UTF8.self) }
}

extension SignedJWS {
    /// Returns the same signing input with another signature, such as the empty one of `"alg":"none"`.
    package func with(signature: [UInt8]) -> SignedJWS {
        SignedJWS(header: header, payload: payload, signature: signature, signingInput: signingInput)
    }

    /// The JWS with one flipped bit in S, which invalidates the signature.
    package var forged: SignedJWS {
        var forged = signature
        if !forged.isEmpty { forged[forged.count - 1] ^= 1 }
        return with(signature: forged)
    }

    /// The JWS with n − S in place of S. It is also valid, since ECDSA checks only the x coordinate.
    package var twin: SignedJWS {
        precondition(signature.count == 64, "only an ES256 signature has its twin")
        let s = P256Scalar(reducing: signature[32...])
        return with(signature: signature[..<32] + s.negated.bytes)
    }

    /// The compact form with spare bits set in the last character of the signature, which carries two bits of its six.
    /// A lenient base64url decoder reads the same 64 bytes (RFC 4648 §3.5).
    package var withSpareBits: [UInt8] {
        precondition(signature.count == 64, "only 64 bytes leave four spare bits")
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var compact = compact
        compact[compact.count - 1] = alphabet[Int(signature[63] & 3) << 4 | 1]
        return compact
    }
}

extension JSONValue {
    /// The JSON as one line of UTF-8, with members in their order.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, canonical: false)
        return bytes
    }
}
