package import Crypto

/// ECDSA over P-256 with SHA-256 and the nonce of RFC 6979. Not constant-time: for test keys only.
///
/// swift-crypto signs with a random nonce. A notification's signed bytes contain nested JWS, so random signatures would
/// change the signing inputs, and the order of observations, in every run.
package enum DeterministicSignature {
    /// Returns R and S, 32 bytes each.
    package static func sign(_ digest: SHA256.Digest, key: P256.Signing.PrivateKey) -> [UInt8] {
        let secret = Array(key.rawRepresentation)
        let d = P256Scalar(reducing: secret)
        let z = P256Scalar(reducing: Array(digest))
        var nonces = NonceGenerator(secret: secret, digest: z.bytes)
        while true {
            let candidate = nonces.next()
            // Fails only for zero and for values not below the order. RFC 6979 then requires the next candidate.
            guard let point = try? P256.Signing.PrivateKey(rawRepresentation: candidate).publicKey else { continue }
            let r = P256Scalar(reducing: Array(point.rawRepresentation.prefix(32)))
            let s = P256Scalar(reducing: candidate).inverse * (z + r * d)
            if !r.isZero, !s.isZero { return r.bytes + s.bytes }
        }
    }
}

/// The HMAC construction of RFC 6979 §3.2, steps b to h.
private struct NonceGenerator {
    private var key = SymmetricKey(data: [UInt8](repeating: 0, count: 32))
    private var value = [UInt8](repeating: 1, count: 32)
    private var isFirst = true

    init(secret: [UInt8], digest: [UInt8]) {
        for step: UInt8 in [0, 1] {
            key = SymmetricKey(data: authenticate(value + [step] + secret + digest))
            value = authenticate(value)
        }
    }

    mutating func next() -> [UInt8] {
        if !isFirst {
            key = SymmetricKey(data: authenticate(value + [0]))
            value = authenticate(value)
        }
        isFirst = false
        value = authenticate(value)
        return value
    }

    private func authenticate(_ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }
}
