import Primitives

/// What a leaked certificate signed from a date on is refused.
enum DenyListPolicy {
    static func check(
        _ chain: ValidatedChain, at instant: Instant, denied: [TrustPolicy.DeniedCertificate]
    ) throws(Refusal) {
        for entry in denied where instant >= entry.from && chain.fingerprints.contains(entry.fingerprint) {
            throw Refusal(
                .certificateDenied, "a certificate of the chain is denied from \(entry.from) on",
                expected: "signed before \(entry.from)", found: "signed at \(instant) under \(entry.fingerprint.hex)")
        }
    }
}
