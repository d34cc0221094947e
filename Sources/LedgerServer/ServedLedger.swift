import EventLog
import Primitives
import SubscriptionLedger

/// The ledger as the routes see it.
struct ServedLedger: Sendable {
    let ledger: Ledger
    let checkpoint: PublishedCheckpoint
    let transitions: TransitionFeed
    let followers: Followers
    let metrics: Metrics

    var now: Instant { ledger.configuration.clock() }
}

extension ServedLedger {
    private static let pollInterval = Duration.milliseconds(10)

    /// Waits until the event at a position is known.
    /// - Throws: `position_unknown` (503) after two seconds; `EventLogError`.
    func wait(for position: Int64) async throws {
        let deadline = ContinuousClock.now + ServerLimits.positionWait
        while true {
            let size = try ledger.knownSize(nil)
            if position < Int64(clamping: size) { return }
            guard ContinuousClock.now < deadline else { throw Problem.positionNotReached(position, size: size) }
            try await Task.sleep(for: Self.pollInterval)
        }
    }
}
