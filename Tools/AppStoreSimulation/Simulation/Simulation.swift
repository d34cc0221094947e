package import Primitives

/// A seeded simulation of an App Store over months. Customers buy, cancel, pay late, change plans and return.
///
/// Each customer has a separate store, so the kinds and dates of a customer's changes do not depend on the others.
package struct Simulation: Sendable {
    package var seed: UInt64
    package var customers: Int
    package var months: Int
    package var start: Instant
    package var store: StoreConfiguration

    /// Creates a simulation. With 60 customers or more, 18 months contain every kind of change: the first customers
    /// each begin with a different story.
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

    /// Returns a household before its first act, with the script of its acts. Where durations are short, nobody acts.
    func household(_ index: Int) -> LiveHousehold {
        var household = Household(index, of: self)
        let store = household.store
        guard !self.store.isAccelerated else { return LiveHousehold(store, script: []) }
        household.live()
        return LiveHousehold(store, script: household.script)
    }

    /// The history of one subscription per kind of contradiction, without truth and without customers.
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
