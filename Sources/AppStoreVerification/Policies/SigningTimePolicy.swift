import Primitives

/// Refuses payloads signed more than a day ahead of the ledger's clock: one of the two clocks is wrong.
enum SigningTimePolicy {
    static let toleranceMilliseconds = Instant.millisecondsPerDay

    static func check(_ signedDate: Instant?, now: Instant) throws(Refusal) {
        guard let signedDate else { return }
        let limit = now.advanced(byMilliseconds: toleranceMilliseconds)
        guard signedDate <= limit else {
            throw Refusal(
                .fromTheFuture, "the signing time is more than 24 hours in the future", expected: "at most \(limit)",
                found: "\(signedDate)")
        }
    }
}
