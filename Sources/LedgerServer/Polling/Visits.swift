import LedgerAPI
import SubscriptionLedger
import Synchronization

/// The subscriptions that callers asked about since the last round of polls. A question that is due about one of them is
/// asked at once, so that the next answer is better.
final class Visits: Sendable {
    private let subscriptions = Mutex<Set<SubscriptionID>>([])

    /// The subscriptions that are kept; further visits are dropped until the next round.
    private static let limit = 1_024

    func note(_ visited: some Sequence<SubscriptionID>) {
        subscriptions.withLock { subscriptions in
            for id in visited where subscriptions.count < Self.limit { subscriptions.insert(id) }
        }
    }

    func take() -> Set<SubscriptionID> {
        subscriptions.withLock { subscriptions in
            defer { subscriptions = [] }
            return subscriptions
        }
    }
}
