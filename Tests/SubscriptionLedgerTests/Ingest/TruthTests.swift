import AppStoreModel
import AppStoreSimulation
import EventLog
import FactStore
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import SubscriptionStatus
import Testing

/// Compares the ledger with the simulated App Store's own records, which are written when it acts and not derived from
/// its signatures.
@Suite struct `The ledger and the truth` {
    /// The fields that both contain.
    private struct Row: Equatable, CustomStringConvertible {
        var status: String
        var productId: String?
        var expiresAt: Instant?
        var willRenew: Bool?
        var pendingProductId: String?
        var ownership: String?
        var revokedAt: Instant?

        init(_ truth: TruthRow) {
            status = truth.state.status.rawValue
            productId = truth.state.productId
            expiresAt = truth.state.expiresAt
            willRenew = truth.state.willRenew
            pendingProductId = truth.state.pendingProductId
            ownership = truth.ownership.rawValue
            revokedAt = truth.state.revokedAt
        }

        init(_ state: SubscriptionState) {
            status = state.status.rawValue
            productId = state.productId?.text
            expiresAt = state.expiresAt
            willRenew = state.willRenew
            pendingProductId = state.pendingProductId?.text
            ownership = state.ownership?.rawValue
            revokedAt = state.revokedAt
        }

        var description: String {
            "\(status) \(productId ?? "-") until \(expiresAt?.iso8601 ?? "-") willRenew \(willRenew.map { "\($0)" } ?? "-") "
                + "pending \(pendingProductId ?? "-") \(ownership ?? "-") revoked \(revokedAt?.iso8601 ?? "-")"
        }
    }

    /// The answer for the token that owns a purchase must contain its key, and no other token's may.
    @Test(arguments: SimulatedHistory.seeds.prefix(SimulatedHistory.seeds.count / 4))
    func `say the same of who owns a purchase`(seed: UInt64) async throws {
        let simulated = SimulatedHistory(seed: seed)
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(simulated.jws)
        let truth = simulated.history.truth
        var generator = SeededGenerator(seed: seed)
        var (compared, different) = (0, 0)
        for change in simulated.history.changes {
            guard let customer = change.customer, let id = change.originalTransactionId else { continue }
            let later = Int64.random(in: 0...5_000_000_000, using: &generator)
            for instant in [change.signedDate, change.signedDate.advanced(byMilliseconds: later)]
            where simulated.history.isSettled(for: customer, at: instant) {
                // Before its first token, a purchase has no owner, or in hindsight the owner of that token.
                guard let owner = truth.row(of: id, at: instant)?.state.owner else { continue }
                for token in truth.owners(of: id) {
                    let answer = try scratch.ledger.reader.state(ofCustomer: token, AsOfQuery(asOf: instant)).json
                        .serialized()
                    let isFound = answer.contains("\"originalTransactionId\":\"\(id)\"")
                    compared += 1
                    guard isFound != (owner == token) else { continue }
                    different += 1
                    guard different <= 20 else { continue }
                    Issue.record(
                        "seed \(seed), \(id) at \(instant.iso8601) after \(change.kind): \(token) \(isFound ? "owns" : "does not own") it"
                    )
                }
            }
        }
        print("seed \(seed): compared \(compared) owners, \(different) different")
        #expect(different == 0)
        #expect(compared > 200)
    }

    /// Compares the states with all later events, and as known at the instant.
    @Test(arguments: SimulatedHistory.seeds)
    func `say the same wherever everything that is true has been signed`(seed: UInt64) async throws {
        let simulated = SimulatedHistory(seed: seed)
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(simulated.jws)
        let deliveredDates = simulated.artifacts.map(\.deliveredDate)
        var generator = SeededGenerator(seed: seed)
        var purchases: [String: IngestedPurchase] = [:]
        var (compared, different) = (0, 0)
        for change in simulated.history.changes {
            guard let customer = change.customer, let id = change.originalTransactionId else { continue }
            let purchase = try purchases[id] ?? IngestedPurchase(id, in: scratch.ledger)
            purchases[id] = purchase
            let offsets: [Int64] = [0, -1, 1, 3_599_999, .random(in: 0...5_000_000_000, using: &generator)]
            for instant in offsets.map({ change.signedDate.advanced(byMilliseconds: $0) })
            where simulated.history.isSettled(for: customer, at: instant) {
                let truth = simulated.history.truth.row(of: id, at: instant).map(Row.init)
                var found = [("with all that came later", purchase.state(at: instant).map(Row.init))]
                if simulated.history.isDelivered(for: customer, at: instant) {
                    let size = Position(deliveredDates.partitioningIndex { $0 > instant })
                    found.append(("as it was known then", purchase.state(at: instant, knownAt: size).map(Row.init)))
                }
                for (when, found) in found {
                    compared += 1
                    guard found != truth else { continue }
                    different += 1
                    guard different <= 20 else { continue }
                    Issue.record(
                        """
                        seed \(seed), \(id) at \(instant.iso8601) after \(change.kind) of \(change.date.iso8601), \(when)
                        ledger: \(found?.description ?? "nothing")
                        truth:  \(truth?.description ?? "nothing")
                        """)
                }
            }
        }
        print("seed \(seed): compared \(compared) states, \(different) different")
        #expect(different == 0)
        #expect(compared > 2_000)
    }
}

extension [Instant] {
    /// The index of the first element that satisfies `belongsBehind`. Every later element must satisfy it too.
    fileprivate func partitioningIndex(_ belongsBehind: (Instant) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
