import Primitives

/// Certificates must have been valid when the payload was signed, not now: a leaf lives two years, a ledger longer.
enum ValidityPolicy {
    static func check(_ chain: ValidatedChain, at instant: Instant) throws(Refusal) {
        guard instant >= chain.window.notBefore, instant <= chain.window.notAfter else {
            throw Refusal(
                .chainExpired, "a certificate was not valid when this was signed",
                expected: "between \(chain.window.notBefore) and \(chain.window.notAfter)", found: "\(instant)")
        }
    }
}
