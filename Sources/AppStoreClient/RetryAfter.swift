package import Primitives

/// The header of an answer that asks to wait. Apple's is an absolute time in milliseconds; RFC 9110 §10.2.3 has seconds.
package enum RetryAfter {
    /// The longest wait, in milliseconds. Whatever asks for more is asked again after it.
    private static let longest = Instant.millisecondsPerHour
    /// The smallest number that is a time in milliseconds, in 1973. As seconds it would be three thousand years.
    private static let leastMilliseconds: Int64 = 100_000_000_000
    /// The wait without a readable header, in milliseconds.
    private static let usual = Instant.millisecondsPerMinute

    /// Returns the instant from which to call again.
    package static func instant(_ field: String?, now: Instant) -> Instant {
        guard let number = field.flatMap({ Int64($0) }), number >= 0 else {
            return now.advanced(byMilliseconds: usual)
        }
        let wait =
            number > leastMilliseconds
            ? number - now.milliseconds : number > longest / 1_000 ? longest : number * 1_000
        return now.advanced(byMilliseconds: min(max(wait, 0), longest))
    }
}
