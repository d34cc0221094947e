import AppStoreModel
import AppStoreSimulation
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import RetentionCohorts
import Testing

/// Compares the cells of every subscriber with the simulated App Store's own books, which it writes when it acts.
@Suite struct `Retention and the books of the App Store` {
    private static let seeds = (0..<(TestEnvironment.isLong ? 200 : 20)).map { TestEnvironment.seed &+ UInt64($0) }

    @Test(arguments: seeds) func `have the same cells`(seed: UInt64) throws {
        // A store that signs at once and loses nothing, so that the ledger can know everything.
        let history = Simulation(seed: seed, customers: 60, store: StoreConfiguration()).run()
        let units = try SimulatedFacts(history.artifacts).units
        var generator = SeededRandom(seed: seed)
        let start = history.changes[0].date
        let span = history.truth.knownUntil.milliseconds - start.milliseconds
        var (compared, retained, pending) = (0, 0, 0)
        for round in 0..<6 {
            let t =
                round == 0
                ? history.truth.knownUntil
                : start.advanced(byMilliseconds: Int64.random(in: 0...span, using: &generator))
            let question = RetentionQuestion(Rules.Retention(), zone: .utc, asOf: t)
            for unit in units.flatMap({ $0.purchaseUnits(by: .group, at: t, catalogs: [:]) }) {
                guard let member = CohortMember(unit, question), let anchor = member.anchor,
                    let book = Book(unit, history.truth, at: t)
                else { continue }
                #expect(anchor.start == book.firstPayment, "seed \(seed), \(anchor.key)")
                guard let duration = member.duration.flatMap({ Self.period($0) }) else { continue }
                for k in 0..<100 {
                    let s =
                        k == 0
                        ? anchor.start
                        : duration.times(k).end(from: anchor.start).advanced(byMilliseconds: Instant.millisecondsPerDay)
                    let found = member.standing(inCell: k)
                    guard s <= t else {
                        #expect(found == nil)
                        break
                    }
                    let expected = book.count(at: s)
                    #expect(
                        found?.instant == s && found?.standing.word == expected,
                        "seed \(seed), \(anchor.key), k = \(k), s = \(s), t = \(t): \(found?.standing.word ?? "none")")
                    compared += 1
                    if expected == "retained" { retained += 1 }
                    if expected == "pending" { pending += 1 }
                }
            }
        }
        print("seed \(seed): compared \(compared) cells, \(retained) retained, \(pending) pending")
        #expect(compared > 500)
        #expect(retained > 200 && retained < compared)
    }

    private static func period(_ duration: CalendarPeriod) -> SubscriptionPeriod? {
        SubscriptionPeriod.Unit(rawValue: String(duration.unit.rawValue)).map {
            SubscriptionPeriod(Int64(duration.count), $0)
        }
    }

    /// The store's own record of one account in one group.
    private struct Book {
        let firstPayment: Instant?
        private let ranges: [Range<Instant>]
        /// The end of the period whose renewal failed, while the grace period goes on.
        private let graceSince: Instant?

        /// Nil for subscriptions about which the store keeps no truth.
        init?(_ unit: PurchaseUnit, _ truth: Truth, at t: Instant) {
            let ids = Set(unit.purchases.map(\.key.originalTransactionId))
            let rows = ids.compactMap { truth.row(of: $0, at: t) }
            guard rows.count == ids.count, let id = ids.sorted().last else { return nil }
            ranges = truth.paidRanges(of: id, knownAt: t)
            firstPayment =
                truth.movements(at: t)
                .filter { ids.contains($0.originalTransactionId) && $0.kind == .sale && $0.amount ?? 0 > 0 }
                .map(\.at).min()
            graceSince = rows.first { $0.state.status == .gracePeriod }?.state.expiresAt
        }

        func count(at s: Instant) -> String {
            if ranges.contains(where: { $0.contains(s) }) { return "retained" }
            return graceSince.map { $0 <= s } == true ? "pending" : "lost"
        }
    }
}

extension CellStanding {
    fileprivate var word: String {
        switch self {
        case .retained: "retained"
        case .pending: "pending"
        case .lost: "lost"
        }
    }
}
