package import Primitives

/// Refuses what Apple dates more than a day ahead of the ledger's clock: one of the two clocks is wrong.
package enum SigningTimePolicy {
    private static let toleranceMilliseconds = Instant.millisecondsPerDay

    /// - Throws: `from_the_future`.
    package static func check(_ signedDate: Instant?, now: Instant) throws(Refusal) {
        guard let signedDate else { return }
        let limit = now.advanced(byMilliseconds: toleranceMilliseconds)
        guard signedDate <= limit else {
            throw Refusal(
                .fromTheFuture, "the signing time is more than 24 hours in the future", expected: "at most \(limit)",
                found: "\(signedDate)")
        }
    }
}
