package import Crypto

/// ECDSA over P-256 and SHA-256 with the nonce of RFC 6979, for test keys only: it is not constant-time.
///
/// swift-crypto signs with a random nonce. A notification embeds signed JWS in what is signed, so with random
/// signatures one seed would give other signing inputs, and another order of observations, in each run.
package enum DeterministicSignature {
    /// R and S, 32 bytes each.
    package static func sign(_ digest: SHA256.Digest, key: P256.Signing.PrivateKey) -> [UInt8] {
        let secret = Array(key.rawRepresentation)
        let d = P256Scalar(reducing: secret)
        let z = P256Scalar(reducing: Array(digest))
        var nonces = NonceGenerator(secret: secret, digest: z.bytes)
        while true {
            let candidate = nonces.next()
            // Nothing but zero and what is not below the order is refused here; then RFC 6979 asks for the next.
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
