import Primitives

/// Refuses signatures of a leaked certificate from a given instant on.
enum DenyListPolicy {
    static func check(
        _ chain: ValidatedChain, at instant: Instant, denied: [TrustPolicy.DeniedCertificate]
    ) throws(Refusal) {
        for entry in denied where instant >= entry.from && chain.fingerprints.contains(entry.fingerprint) {
            throw Refusal(
                .certificateDenied, "a certificate of the chain is on the deny list since \(entry.from)",
                expected: "a signing time before \(entry.from)", found: "\(instant) with \(entry.fingerprint.hex)")
        }
    }
}
