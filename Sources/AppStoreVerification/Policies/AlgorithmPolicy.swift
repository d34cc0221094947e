import Primitives

/// Only ES256 is accepted: Apple signs with P-256 keys (RFC 7518 §3.4).
enum AlgorithmPolicy {
    static func check(_ header: JSONView) throws(Refusal) {
        let algorithm = header["alg"]?.string
        guard algorithm == "ES256" else {
            throw Refusal(
                .algorithmUnsupported, "unsupported signature algorithm", expected: "ES256",
                found: algorithm ?? "none")
        }
        // RFC 7515 §4.1.11: critical extensions must be understood, and none are supported.
        guard header["crit"] == nil else {
            throw Refusal(.algorithmUnsupported, "unsupported critical extensions", expected: "none", found: "crit")
        }
    }
}
