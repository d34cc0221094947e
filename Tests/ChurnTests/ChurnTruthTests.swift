import AppStoreModel
import AppStoreSimulation
import Churn
import LedgerModel
import LedgerTesting
import PaidService
import Primitives
import Testing

/// Compares who left, when and why with the acts of the simulated App Store.
@Suite struct `Churn and the acts of the App Store` {
    private static let seeds = (0..<(TestEnvironment.isLong ? 200 : 20)).map { TestEnvironment.seed &+ UInt64($0) }

    /// The classes of the acts that end a subscription.
    private static let classes: [ChangeKind: ChurnClass] = [
        .expiry: .voluntary, .priceIncreaseNotAccepted: .priceIncrease, .productUnavailable: .productUnavailable,
        .retryExhausted: .involuntary, .autoRenewDisabledAfterFailure: .involuntary, .refundFull: .voluntary,
        .refundAgain: .voluntary, .refundProrated: .voluntary, .refundOfUnknownKind: .unknown,
        .revocationByStatus: .unknown, .refundBeforeStart: .voluntary,
    ]

    private struct Departure: Hashable, CustomStringConvertible {
        let originalTransactionId: String
        let at: Instant
        let churnClass: ChurnClass

        var description: String { "\(originalTransactionId) \(at) \(churnClass)" }
    }

    @Test(arguments: seeds) func `agree on who left, when and why`(seed: UInt64) throws {
        // A store that signs at once and loses nothing, so that the ledger can know everything.
        let history = Simulation(seed: seed, customers: 60, store: StoreConfiguration()).run()
        let t = history.truth.knownUntil
        let units = try SimulatedFacts(history.artifacts).units
            .flatMap { $0.purchaseUnits(by: .group, at: t, catalogs: [:]) }
        let found = Set(
            units.flatMap { unit in
                unit.churnEpisodes(Rules.Churn()).map {
                    Departure(
                        originalTransactionId: $0.purchase.key.originalTransactionId, at: $0.churnedAt,
                        churnClass: $0.churnClass)
                }
            }
            .filter { history.truth.row(of: $0.originalTransactionId, at: t) != nil })
        let silent = Set(
            history.changes.filter { $0.kind == .devicePosting }.compactMap(\.originalTransactionId))
        var (expected, endsFree) = (Set<Departure>(), Set<String>())
        for change in history.changes {
            guard let churnClass = Self.classes[change.kind], let id = change.originalTransactionId,
                let known = history.truth.row(of: id, at: change.date), known.ownership == .purchased
            else { continue }
            // The refund of a renewal that was charged ahead counts when the renewal would begin.
            let at = change.kind == .refundBeforeStart ? known.state.expiresAt ?? .latest : change.date
            guard at <= t, let row = history.truth.row(of: id, at: at),
                [.expired, .revoked].contains(row.state.status)
            else { continue }
            let sales = history.truth.movements(at: at)
                .filter { $0.kind == .sale && $0.originalTransactionId == id }
            guard let last = sales.max(by: { $0.saleAt < $1.saleAt }) else { continue }
            let before = sales.filter { $0.saleAt < last.saleAt }
            let isRefundAfterFree =
                change.kind == .refundBeforeStart && before.max(by: { $0.saleAt < $1.saleAt })?.amount == 0
                && before.contains { $0.amount ?? 0 > 0 }
            guard last.amount ?? 0 > 0, !isRefundAfterFree else {
                // Who leaves in a free period left at the end of the paid one before, if there was one. What was
                // refunded before it began served nothing.
                endsFree.insert(id)
                continue
            }
            // The refund of an older period ends nothing.
            let revoked = history.truth.row(of: id, at: at.advanced(byMilliseconds: -1))?.state.status
            if revoked == .revoked || revoked == .expired { continue }
            // A refund that was reversed, or a revocation that ended, is not one in the end.
            let final = history.truth.movements(at: t).filter { $0.transactionId == last.transactionId }
            if final.contains(where: { $0.kind == .reversal && $0.at >= change.date }) { continue }
            // Nothing is signed about the renewals of an app without notifications.
            let isKnown = !silent.contains(id) || [.refundFull, .refundAgain, .refundProrated].contains(change.kind)
            expected.insert(Departure(originalTransactionId: id, at: at, churnClass: isKnown ? churnClass : .unknown))
        }
        let reversed = Set(
            history.truth.movements(at: t).filter { $0.kind == .reversal }.map(\.originalTransactionId))
        let missing = expected.subtracting(found).filter { !reversed.contains($0.originalTransactionId) }
        #expect(missing.isEmpty, "seed \(seed): missing \(missing.map(\.description).sorted())")
        let ends = Set(expected.map { "\($0.originalTransactionId) \($0.at)" }).union(
            history.changes.compactMap { change in
                Self.classes[change.kind].flatMap { _ in change.originalTransactionId.map { "\($0) \(change.date)" } }
            })
        let excess = found.filter {
            !reversed.contains($0.originalTransactionId) && !endsFree.contains($0.originalTransactionId)
                && !ends.contains("\($0.originalTransactionId) \($0.at)")
        }
        print("seed \(seed): \(expected.count) departures, \(found.count) found")
        #expect(excess.isEmpty, "seed \(seed): excess \(excess.map(\.description).sorted())")
        #expect(expected.count > 10)
    }
}
