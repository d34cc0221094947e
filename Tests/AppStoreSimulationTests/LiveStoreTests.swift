import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

@Suite("A live store")
struct LiveStoreTests {
    private static let seed = testSeed()

    private static func simulation(_ seed: UInt64, customers: Int = 60) -> Simulation {
        var configuration = StoreConfiguration.lifelike
        configuration.delivery = NotificationDelivery()
        return Simulation(seed: seed, customers: customers, store: configuration)
    }

    /// Advances in random steps to the end of the simulation.
    /// - Returns: the artifacts with the instant at which each was signed or the clock had passed it.
    private static func play(_ store: inout LiveStore, _ generator: inout SeededGenerator) -> [StoreArtifact] {
        var artifacts: [StoreArtifact] = []
        while store.now < store.simulation.end {
            let step = generator.number(in: 1...20 * Instant.millisecondsPerDay)
            artifacts += store.advance(to: min(store.now.advanced(byMilliseconds: step), store.simulation.end))
        }
        return artifacts
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `signs the same as the simulation that it plays, however its clock moves`(_ offset: UInt64) throws {
        let seed = Self.seed &+ offset
        let simulation = Self.simulation(seed)
        var generator = SeededGenerator(seed: seed)
        var store = LiveStore(simulation)
        let live = Self.play(&store, &generator)
        var asked = simulation
        asked.store.answers = true
        let history = asked.run()
        let expected = history.artifacts.filter { $0.customer != nil || $0.change == .test }

        let signer = JWSSigner(signs: false)
        func texts(_ artifacts: [StoreArtifact]) -> [String] {
            artifacts.map { signer.sign($0).jws.text }.sorted()
        }
        #expect(texts(live) == texts(expected), "seed \(seed)")
        for days in [100, 300, 546] as [Int64] {
            let instant = simulation.start.advanced(byMilliseconds: days * Instant.millisecondsPerDay)
            let rows = Dictionary(
                uniqueKeysWithValues: history.truth.rows(at: instant).map { ($0.originalTransactionId, $0) })
            let liveRows = store.truth(at: instant)
            #expect(liveRows.count == rows.count && rows.count > 0, "seed \(seed)")
            for row in liveRows { #expect(rows[row.originalTransactionId] == row, "seed \(seed)") }
        }
    }

    @Test func `states each account's transactions in the order of their last change`() throws {
        var generator = SeededGenerator(seed: Self.seed)
        var store = LiveStore(Self.simulation(Self.seed))
        _ = Self.play(&store, &generator)
        var changed = 0
        for row in store.truth(at: store.now) {
            let account = try #require(store.account(of: row.originalTransactionId))
            let record = store.record(of: account)
            let dates = record.transactions.map(\.modifiedDate)
            #expect(dates == dates.sorted())
            changed += record.transactions.filter { $0.modifiedDate > $0.purchaseDate }.count
            for transaction in record.transactions {
                #expect(store.account(of: transaction.transactionId) == account)
                let payload = try JSONDocument(parsing: transaction.payload).root
                #expect(payload["transactionId"]?.string == transaction.transactionId)
                #expect(payload["signedDate"]?.integer == store.now.milliseconds)
                let appTransactionId = try #require(payload["appTransactionId"]?.string)
                #expect(store.account(of: appTransactionId) == account)
            }
        }
        #expect(changed > 20)
    }

    @Test func `states the true status of each subscription`() throws {
        var generator = SeededGenerator(seed: Self.seed)
        var store = LiveStore(Self.simulation(Self.seed))
        _ = Self.play(&store, &generator)
        let statuses: [TruthStatus: SubscriptionStatusCode] = [
            .active: .active, .expired: .expired, .billingRetry: .billingRetry, .gracePeriod: .gracePeriod,
            .revoked: .revoked,
        ]
        var count = 0
        for row in store.truth(at: store.now) {
            let account = try #require(store.account(of: row.originalTransactionId))
            let record = store.record(of: account)
            guard
                let subscription = record.subscriptions.first(where: {
                    $0.originalTransactionId == row.originalTransactionId
                })
            else { continue }
            #expect(subscription.status == statuses[row.state.status])
            count += 1
        }
        #expect(count > 60)
    }

    @Test func `answers from before the last change while a replica lags behind`() throws {
        var store = LiveStore(Self.simulation(Self.seed))
        let hour = Instant.millisecondsPerHour
        var late = 0
        var caughtUp = 0
        while store.now < store.simulation.end {
            let artifacts = store.advance(to: store.now.advanced(byMilliseconds: hour))
            for artifact in artifacts where artifact.change == .renewal {
                let id = try #require(artifact.originalTransactionId)
                let account = try #require(store.account(of: id))
                let newest = store.record(of: account).transactions.count
                if store.record(of: account, lag: 2 * hour).transactions.count < newest { late += 1 }
                #expect(store.record(of: account, lag: 0).transactions.count == newest)
                caughtUp += 1
            }
        }
        #expect(late > caughtUp / 2)
    }

    @Test func `does not know ids that it did not give out`() {
        let store = LiveStore(Self.simulation(Self.seed, customers: 2))
        for id in ["", "1", "410000000000001", "999999999999999", "704000000000000009", "abc", "-5"] {
            #expect(store.account(of: id) == nil)
        }
    }

    @Test func `follows an act instead of the script`() throws {
        var store = LiveStore(Self.simulation(Self.seed))
        var extended = 0
        var refusals = 0
        _ = store.advance(to: store.simulation.start.advanced(byMilliseconds: 200 * Instant.millisecondsPerDay))
        for row in store.truth(at: store.now) where row.ownership == .purchased {
            guard let account = store.account(of: row.originalTransactionId), let end = row.state.expiresAt else {
                continue
            }
            do throws(ExtensionRefusal) {
                let result = try store.extendRenewal(of: row.originalTransactionId, by: account, byDays: 10)
                #expect(result.effectiveDate == end.advanced(byMilliseconds: 10 * Instant.millisecondsPerDay))
                extended += 1
            } catch {
                refusals += 1
            }
        }
        #expect(extended > 5 && refusals > 5)
        let signed = store.advance(to: store.now.advanced(byMilliseconds: Instant.millisecondsPerDay))
        #expect(signed.filter { $0.notificationType == .renewalExtended }.count >= extended)
    }
}
