import AppStoreModel
import AppStoreSimulation
import IntroOffers
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

/// Compares who used up which introductory offer with the simulated App Store's own record.
@Suite struct `Introductory offers and the record of the App Store` {
    private static let seeds = (0..<(TestEnvironment.isLong ? 200 : 20)).map { TestEnvironment.seed &+ UInt64($0) }
    private static let store = StoreConfiguration()

    @Test(arguments: seeds) func `agree on every account, group and instant`(seed: UInt64) throws {
        let history = Simulation(seed: seed, customers: 60, store: Self.store).run()
        let units = try SimulatedFacts(history.artifacts).units
        let catalogs = [Symbol(Self.store.bundleId): CatalogHistory(simulated: Self.store)]
        let subscriptions = Self.store.catalog.products.filter { $0.group != nil }
        var generator = SeededRandom(seed: seed)
        let (start, end) = (history.changes[0].date, history.truth.knownUntil)
        var reasons: [IntroEligibility.Reason: Int] = [:]
        for _ in 0..<8 {
            let t = Instant(milliseconds: Int64.random(in: start.milliseconds...end.milliseconds, using: &generator))
            for lineages in units {
                let keys = Set(lineages.flatMap(\.subscriptions).map(\.key))
                let rows = keys.compactMap { history.truth.row(of: $0.originalTransactionId, at: t) }
                    .filter { $0.ownership == .purchased }
                // A family member's keys are those of another account.
                guard !rows.isEmpty, Set(rows.map(\.customer)).count == 1,
                    !lineages.contains(where: \.isHistoryIncomplete)
                else { continue }
                let offers = IntroOffers(
                    lineages, namedBy: keys, lineages.states(at: t, rules: Rules()), at: t, rules: Rules.Intro(),
                    catalogs: catalogs)
                for product in subscriptions {
                    let group = rows.filter { Self.store.catalog.group(of: $0.state.productId) == product.group }
                    let consumed = Set(group.compactMap(\.state.introConsumedBy))
                    let isSubscribed = group.contains {
                        [.active, .gracePeriod, .billingRetry].contains($0.state.status)
                    }
                    let found = offers.eligibility(
                        for: ProductName(Symbol(Self.store.bundleId), Symbol(product.id)))
                    let place = Comment(rawValue: "seed \(seed), \(keys.sorted()[0]), \(product.id), \(t)")
                    if let decided = consumed.first {
                        #expect(found.reason == .consumed && found.isEligible == false, place)
                        #expect(found.decidedBy?.transactionId?.text == decided, place)
                    } else {
                        let expected: IntroEligibility.Reason =
                            isSubscribed ? .subscribed : group.isEmpty ? .neverSubscribed : .lapsed
                        #expect(found.reason == expected && found.isEligible == !isSubscribed, place)
                    }
                    reasons[found.reason, default: 0] += 1
                }
            }
        }
        print("seed \(seed): \(reasons.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
        for reason in [IntroEligibility.Reason.consumed, .subscribed, .lapsed, .neverSubscribed] {
            #expect(reasons[reason, default: 0] > 0, "seed \(seed), \(reason)")
        }
    }
}

extension StoreCatalog {
    fileprivate func group(of productId: String) -> String? { products.first { $0.id == productId }?.group }
}
