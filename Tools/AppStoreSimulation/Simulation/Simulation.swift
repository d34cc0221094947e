package import Primitives

/// A seeded App Store over months: many customers who buy, cancel, pay late, change their minds and come back.
///
/// Each customer lives in a store of their own, so that the history of one is the same however many others there are.
package struct Simulation: Sendable {
    package var seed: UInt64
    package var customers: Int
    package var months: Int
    package var start: Instant
    package var store: StoreConfiguration

    /// With 60 customers or more, 18 months show every kind of change: each of the first ones lives through another
    /// story first.
    package init(
        seed: UInt64 = 1, customers: Int = 200, months: Int = 18,
        start: Instant = Instant(milliseconds: 1_735_689_600_000), store: StoreConfiguration = .lifelike
    ) {
        precondition(customers >= 0 && months > 0, "a simulation has customers and goes on for months")
        self.seed = seed
        self.customers = customers
        self.months = months
        self.start = start
        self.store = store
    }

    package var end: Instant { SubscriptionPeriod(Int64(months), .month).end(from: start) }

    package func run() -> StoreHistory {
        StoreHistory(
            merging: (0..<customers).map { index in
                var household = Household(index, of: self)
                household.live()
                return household.store.history
            } + [contradictions])
    }

    /// A set of signatures of each kind that contradicts itself. Nothing is true of them, and nobody's.
    private var contradictions: StoreHistory {
        var store = AppStore(self.store, opening: start, seed: seed, range: customers)
        var generator = SeededGenerator(seed: seed, stream: UInt64(customers) << 32 | 0xC057_0E12)
        for contradiction in Contradiction.allCases {
            let customer = store.addCustomer(number: 2 * customers + store.customers.count)
            let id = store.buy("pro.monthly", by: customer, at: store.now.advanced(byMilliseconds: 86_400_000))
            store.advance(to: store.now.advanced(byMilliseconds: generator.number(in: 0...20) * 86_400_000))
            store.sign(contradiction, of: id)
        }
        store.advance(to: max(store.now, end))
        return store.history.withoutTruth
    }
}
