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
