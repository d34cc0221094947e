import AppStoreModel
import AppStoreSimulation
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

/// Lost notifications may cost a customer access, but must not grant any.
@Suite struct `A ledger that loses notifications` {
    /// Changes that take away paid time. They are always delivered, because a ledger cannot know of a missing one.
    private static let endingEarly: Set<ChangeKind> = [
        .refundFull, .refundProrated, .refundAgain, .refundBeforeStart, .refundOfUnknownKind, .revocationByStatus,
        .familyRevoke, .upgrade, .crossgrade, .crossgradeWithAnotherToken, .upgradeToShorterPlan, .upgradeAfterCharge,
        .migration,
        .autoRenewDisabledAfterFailure,
    ]

    private static let lostPercent = 30

    private static func store(in environment: Environment) -> StoreConfiguration {
        var store = StoreConfiguration.lifelike
        store.environment = environment
        if environment != .production { store.appAppleId = nil }
        return store
    }

    @Test(
        arguments: SimulatedHistory.seeds.prefix(SimulatedHistory.seeds.count / 5),
        [Environment.production, .sandbox])
    func `opens no more access than there was, plus the leeway`(seed: UInt64, environment: Environment) async throws {
        var generator = SeededGenerator(seed: seed)
        let history = SimulatedHistory.unsigned(seed, store: Self.store(in: environment))
        let artifacts = history.artifacts.map { artifact in
            var artifact = artifact
            let isLost = artifact.kind == .notification && generator.chance(percent: Self.lostPercent)
            if Self.endingEarly.contains(artifact.change) {
                artifact.deliveredDate = artifact.signedDate
            } else if isLost {
                artifact.deliveredDate = nil
            }
            return artifact
        }
        let scratch = try ScratchLedger(trust: SimulatedHistory.trust)
        try await scratch.ingestInBulk(SimulatedHistory.sign(artifacts).map(\.jws))

        var purchases: [String: IngestedPurchase] = [:]
        var (asked, inferred, wrong) = (0, 0, 0)
        for change in history.changes where change.customer != nil {
            guard let id = change.originalTransactionId else { continue }
            let purchase = try purchases[id] ?? IngestedPurchase(id, in: scratch.ledger)
            purchases[id] = purchase
            let offsets: [Int64] = [0, 300_001, 3_600_001, .random(in: 0...5_000_000_000, using: &generator)]
            for instant in offsets.map({ change.signedDate.advanced(byMilliseconds: $0) })
            where instant <= history.truth.knownUntil {
                guard let row = purchase.state(at: instant), row.entitled else { continue }
                asked += 1
                if !row.inferred.isEmpty { inferred += 1 }
                if !row.inferred.isEmpty || row.isGraceWithoutDate { continue }
                let from = instant.advanced(byMilliseconds: -row.longestLeeway)
                if history.truth.isEntitled(to: id, within: from...instant) { continue }
                wrong += 1
                guard wrong <= 20 else { continue }
                Issue.record(
                    """
                    seed \(seed), \(environment), \(id) at \(instant.iso8601) after \(change.kind)
                    ledger: \(row.status) \(row.productId ?? "-") until \(row.expiresAt?.iso8601 ?? "-")
                    """)
            }
        }
        print("seed \(seed), \(environment): \(asked) states with access, \(inferred) inferred, \(wrong) wrong")
        #expect(wrong == 0)
        #expect(asked > 1_000)
    }
}

extension SubscriptionState {
    /// Whether status 4 without a date grants access: until another status is known, for at most 28 days.
    fileprivate var isGraceWithoutDate: Bool { status == .gracePeriod && gracePeriodExpiresAt == nil }

    /// The longest time in milliseconds for which access continues while a renewal is awaited: 60 minutes in
    /// Production, elsewhere a tenth of the period and at most 5 minutes.
    fileprivate var longestLeeway: Int64 {
        guard key.environment != .production else { return Instant.millisecondsPerHour }
        let period = (expiresAt?.milliseconds ?? .max) - purchasedAt.milliseconds
        return min(5 * 60_000, period / 10)
    }
}
