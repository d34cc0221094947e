import Primitives
import SubscriptionLedger

/// The instant of an answer without `--as-of`.
enum PresentInstant {
    /// The difference that two machines' clocks may have.
    private static let tolerance: Int64 = 60_000

    /// Returns the machine's time, or the time of the newest event if that is later by more than a minute.
    ///
    /// A ledger that was served with `--clock` runs on the time of a simulator. As of the machine's time, answers would
    /// omit its newest events and silently contradict the service. In a ledger whose machine had a wrong clock once, the
    /// machine's time would be better; the note shows this case, and `--as-of` corrects it.
    static func of(_ ledger: LedgerReader) throws -> Instant {
        let now = SystemClock.now()
        guard let newest = try ledger.lastRecordedAt(), newest > now.advanced(byMilliseconds: tolerance) else {
            return now
        }
        Terminal.standardError.write(
            """
            note: the newest event is recorded at \(newest.iso8601), ahead of this machine's clock; the answer is as of \
            then. Use --as-of for another instant.

            """)
        return newest
    }
}
