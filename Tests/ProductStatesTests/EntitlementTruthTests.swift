import AppStoreModel
import AppStoreSimulation
import LedgerModel
import LedgerTesting
import Primitives
import ProductStates
import SubscriptionStatus
import Testing

/// Compares entitlements and product states with the simulated App Store's own record.
@Suite struct `Entitlements and the record of the App Store` {
    private static let seeds = (0..<(TestEnvironment.isLong ? 200 : 20)).map { TestEnvironment.seed &+ UInt64($0) }
    private static let store = StoreConfiguration()

    @Test(arguments: seeds) func `agree on every customer, product and instant`(seed: UInt64) throws {
        let history = Simulation(seed: seed, customers: 60, store: Self.store).run()
        let timelines = try SimulatedFacts(history.artifacts).timelines
        let lineages = Lineage.components(of: timelines)
        let catalogs = [Symbol(Self.store.bundleId): CatalogHistory(simulated: Self.store)]
        // A renewal is never waited for, since the store signs at once.
        var rules = Rules()
        rules.access.renewalLeewayMinutes = 0
        var generator = SeededRandom(seed: seed)
        let (start, end) = (history.changes[0].date, history.truth.knownUntil)
        var counts: [ProductState: Int] = [:]
        for _ in 0..<8 {
            let t = Instant(milliseconds: Int64.random(in: start.milliseconds...end.milliseconds, using: &generator))
            let customers = Dictionary(grouping: history.truth.rows(at: t), by: \.customer)
            for (customer, rows) in customers {
                let ids = Set(rows.map(\.originalTransactionId))
                let own = lineages.filter { $0.subscriptions.contains { ids.contains($0.key.originalTransactionId) } }
                let subscriptions = own.flatMap(\.subscriptions)
                    .filter { ids.contains($0.key.originalTransactionId) }.sorted { $0.key < $1.key }
                let keys = Set(subscriptions.map(\.key))
                let products = CustomerProducts(
                    own.states(at: t, rules: rules).filter { keys.contains($0.key) }, of: subscriptions,
                    purchases: [:], downloads: [], grants: [], at: t, catalogs: catalogs)
                let entitled = Set(rows.filter(\.state.isEntitled).map(\.state.productId))
                let place = Comment(rawValue: "seed \(seed), customer \(customer), \(t)")
                #expect(Set(products.entitlements.map(\.id.text)) == entitled, place)
                for row in products.products where row.group != nil {
                    let isActive = entitled.contains(row.product.productId.text)
                    #expect((row.state == .active) == isActive, "\(place) \(row.product.productId.text)")
                    counts[row.state, default: 0] += 1
                }
                for group in products.groups {
                    let active = products.products.contains { $0.group == group.group && $0.state == .active }
                    #expect((group.state == .active) == active, place)
                }
                // A product of a row is not new.
                let begun = Set(rows.map(\.state.productId))
                #expect(
                    !products.products.contains { $0.state == .new && begun.contains($0.product.productId.text) }, place
                )
            }
        }
        print("seed \(seed): \(counts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
        for state in [ProductState.new, .active, .inactive] { #expect(counts[state, default: 0] > 0) }
    }
}
