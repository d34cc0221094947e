import Primitives

/// ES256 and nothing else: Apple signs with P-256 keys (RFC 7518 §3.4).
enum AlgorithmPolicy {
    static func check(_ header: JSONView) throws(Refusal) {
        let algorithm = header["alg"]?.string
        guard algorithm == "ES256" else {
            throw Refusal(
                .algorithmUnsupported, "the signature algorithm is not accepted", expected: "ES256",
                found: algorithm ?? "none")
        }
        // RFC 7515 §4.1.11: extensions named critical must be understood, and there are none that we do.
        guard header["crit"] == nil else {
            throw Refusal(.algorithmUnsupported, "the header has critical extensions", expected: "none", found: "crit")
        }
    }
}
