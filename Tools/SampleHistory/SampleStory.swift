import AppStoreSimulation
import Primitives

/// Five months of three customers: one pays late, recovers and still renews, one has cancelled, and one only renews.
struct SampleStory {
    private static let days: Int64 = 150

    private(set) var store: AppStore
    private let end: Instant
    private let alice: CustomerID
    /// Alice's subscription, active at the end.
    private(set) var renewing: SubscriptionID

    init(endingAt end: Instant) {
        self.end = end
        let start = Self.instant(end, -Self.days)
        store = AppStore(StoreConfiguration(), opening: start)
        alice = store.addCustomer()
        renewing = store.buy("pro.monthly", by: alice, offer: .introductory, at: start)
    }

    mutating func happen() {
        let bob = store.addCustomer()
        let cancelling = store.buy("pro.yearly", by: bob, offer: .introductory, at: day(3))
        store.cancel(cancelling, at: day(10))
        let carol = store.addCustomer()
        store.buy("news.monthly", by: carol, at: day(20))
        store.breakBilling(of: alice, at: day(60))
        store.fixBilling(of: alice, at: day(90))
        store.advance(to: end)
    }

    /// Returns the instant `day` days after the beginning.
    private func day(_ day: Int64) -> Instant {
        Self.instant(end, day - Self.days)
    }

    private static func instant(_ instant: Instant, _ days: Int64) -> Instant {
        instant.advanced(byMilliseconds: days * Instant.millisecondsPerDay)
    }
}
