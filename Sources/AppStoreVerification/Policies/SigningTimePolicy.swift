import Primitives

/// What is signed more than a day ahead of the ledger's clock is kept apart: one of the two clocks is wrong.
enum SigningTimePolicy {
    static let toleranceMilliseconds = Instant.millisecondsPerDay

    static func check(_ signedDate: Instant?, now: Instant) throws(Refusal) {
        guard let signedDate else { return }
        let limit = now.advanced(byMilliseconds: toleranceMilliseconds)
        guard signedDate <= limit else {
            throw Refusal(
                .fromTheFuture, "this was signed more than 24 hours from now", expected: "at most \(limit)",
                found: "\(signedDate)")
        }
    }
}
