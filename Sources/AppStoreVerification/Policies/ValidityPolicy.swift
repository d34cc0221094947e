import Primitives

/// Certificates must be valid at the signing time, not now: a leaf is valid for two years, a ledger is kept for longer.
enum ValidityPolicy {
    static func check(_ chain: ValidatedChain, at instant: Instant) throws(Refusal) {
        guard instant >= chain.window.notBefore, instant <= chain.window.notAfter else {
            throw Refusal(
                .chainExpired, "a certificate was not valid at the signing time",
                expected: "between \(chain.window.notBefore) and \(chain.window.notAfter)", found: "\(instant)")
        }
    }
}
