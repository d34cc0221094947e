import AppStoreModel
import AppStoreSimulation
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import Revenue
import Testing

/// Compares revenue with the simulated App Store's own books, which it writes when it acts.
@Suite struct `Revenue and the books of the App Store` {
    static let seeds = (0..<(TestEnvironment.isLong ? 200 : 20)).map { TestEnvironment.seed &+ UInt64($0) }

    /// A store that signs at once and loses nothing, so that the ledger can know everything.
    private static func history(_ seed: UInt64) -> StoreHistory {
        var store = StoreConfiguration()
        store.chargeLead = 0...Instant.millisecondsPerDay
        return Simulation(seed: seed, customers: 60, store: store).run()
    }

    private struct Movement: Hashable, Comparable, CustomStringConvertible {
        let kind: String
        let originalTransactionId: String
        let transactionId: String
        let at: Instant
        let amount: Int64?
        let currency: String?

        static func < (left: Movement, right: Movement) -> Bool { left.description < right.description }

        var description: String {
            "\(originalTransactionId) \(transactionId) \(at) \(kind) \(amount.map { "\($0)" } ?? "unknown") \(currency ?? "-")"
        }
    }

    @Test(arguments: seeds) func `have the same movements of money`(seed: UInt64) throws {
        let history = Self.history(seed)
        let units = try SimulatedFacts(history.artifacts).units
        var generator = SeededRandom(seed: seed)
        let span = history.truth.knownUntil.milliseconds - history.changes[0].date.milliseconds
        let known = Set(history.truth.movements(at: history.truth.knownUntil).map(\.originalTransactionId))
        for round in 0..<4 {
            let t =
                round == 0
                ? history.truth.knownUntil
                : history.changes[0].date.advanced(byMilliseconds: Int64.random(in: 0...span, using: &generator))
            let truth = history.truth.movements(at: t).map { movement in
                Movement(
                    kind: movement.kind.rawValue, originalTransactionId: movement.originalTransactionId,
                    transactionId: movement.transactionId, at: movement.at, amount: movement.amount,
                    currency: movement.currency)
            }
            let found = units.flatMap { $0.purchaseUnits(by: .group, at: t, catalogs: [:]) }.flatMap(\.charges)
                .filter { known.contains($0.key.originalTransactionId) }
                .map { charge in
                    Movement(
                        kind: charge.kind.rawValue, originalTransactionId: charge.key.originalTransactionId,
                        transactionId: charge.transactionId?.text ?? "-", at: charge.at, amount: charge.amount,
                        currency: charge.currency?.text)
                }
            let missing = Set(truth).subtracting(found).sorted()
            let excess = Set(found).subtracting(truth).sorted()
            #expect(missing.isEmpty && excess.isEmpty, "seed \(seed), \(t): missing \(missing), excess \(excess)")
            #expect(truth.count == found.count)
        }
    }

    @Test(arguments: seeds) func `have the same days of paid service`(seed: UInt64) throws {
        let history = Self.history(seed)
        let units = try SimulatedFacts(history.artifacts).units
        var (compared, different) = (0, 0)
        for change in history.changes {
            guard let customer = change.customer, history.isSettled(for: customer, at: change.signedDate) else {
                continue
            }
            let t = change.signedDate
            guard compared < 400, let id = change.originalTransactionId, let row = history.truth.row(of: id, at: t),
                row.ownership == .purchased,
                let unit = units.lazy.filter({ $0.contains(id) })
                    .flatMap({ $0.purchaseUnits(by: .group, at: t, catalogs: [:]) })
                    .first(where: { $0.purchases.contains { $0.key.originalTransactionId == id } })
            else { continue }
            compared += 1
            // The store counts whole days elapsed, the rule rounds to the nearest.
            let days = PaidDays(unit, Rules().revenue).count(at: t)
            guard days != row.paidDays, days != row.paidDays + 1 else { continue }
            different += 1
            Issue.record(
                "seed \(seed), \(id) at \(t) after \(change.kind): \(days) days, the store counts \(row.paidDays)")
        }
        #expect(different == 0)
        #expect(compared > 200)
    }
}

extension [Lineage] {
    fileprivate func contains(_ originalTransactionId: String) -> Bool {
        contains { $0.subscriptions.contains { $0.key.originalTransactionId == originalTransactionId } }
    }
}
