import AppStoreModel
import EventLog
import FactStore
import FoundationEssentials
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import ProjectionRuntime
import SubscriptionStatus

/// Random facts of a few dozen subscriptions, and the projections of them. Many subscriptions share Apple accounts or
/// migrated from another one.
final class ProjectionWorld {
    let folder: DataFolder
    let facts: FactIndex
    private let temporary: TemporaryFolder
    private var random: SeededRandom
    private(set) var keys: Set<SubscriptionKey> = []

    init(seed: UInt64) throws {
        temporary = try TemporaryFolder()
        folder = try temporary.data()
        facts = try FactIndex(writing: folder, mapSizeBytes: 1 << 30) { _, _ in .none }
        random = SeededRandom(seed: seed)
    }

    var store: ProjectionStore { ProjectionStore(folder) }

    func builder(
        rules: Rules = Rules(), in folder: DataFolder? = nil, memory: Int? = nil, workers: Int? = nil
    ) throws -> ProjectionBuilder<StatusProjection> {
        var options = RebuildOptions()
        if let memory { options.memory = memory }
        if let workers { options.workers = workers }
        return try ProjectionBuilder(
            StatusProjection.self, in: ProjectionStore(folder ?? self.folder), of: facts, rules: rules,
            options: options)
    }

    /// Returns another, empty folder.
    func otherFolder(_ name: String) throws -> DataFolder {
        let folder = DataFolder(path: "\(temporary.path)/\(name)")
        try folder.create()
        return folder
    }

    /// Adds events to those in memory; half of the time stores all of them.
    func addEvents(_ count: Int) throws {
        let size = facts.size
        facts.observe(
            (size..<size + UInt64(count)).map { position in
                CommittedEvent(
                    position: position, recordedAt: Instant(milliseconds: Self.start + Int64(position) * Self.day / 4),
                    attachment: attachment())
            })
        if random.chance(50) { try facts.store() }
    }

    private static let start: Int64 = 1_735_689_600_000
    private static let day: Int64 = 86_400_000

    private func attachment() -> IndexedFacts? {
        // Some events have no facts.
        guard !random.chance(5) else { return nil }
        return IndexedFacts(EventFacts((0..<Int.random(in: 1...4, using: &random)).map { _ in observation() }))
    }

    private func observation() -> KeyedObservation {
        let number = Int.random(in: 0..<60, using: &random)
        let key = SubscriptionKey(
            environment: number % 3 == 0 ? .sandbox : .production,
            bundleId: number % 5 == 0 ? "com.example.other" : "com.example.app",
            // Ids of different lengths, and one that is no number.
            originalTransactionId: number == 7 ? "id-7" : "\(number * number * 37)")
        keys.insert(key)
        let time = Instant(
            milliseconds: Self.start + Int64(facts.size) * Self.day / 4 + Int64(random.next() % 90_000_000))
        let source = Source(
            name: ObservationName(digest: .sha256(of: random.bytes(16))), time: time, rank: .jws, position: 0,
            recordedAt: time)
        return KeyedObservation(
            key: .subscription(key), observation: Observation(source: source, fact: fact(number, time)))
    }

    private func fact(_ number: Int, _ time: Instant) -> Fact {
        // Twenty accounts for sixty subscriptions, so that some units have several keys; one account has most of an app.
        let account = random.chance(40) ? AppleID(random.chance(10) ? "700" : "70\(number % 20)") : nil
        let end = time.advanced(byMilliseconds: Self.day * Int64.random(in: -3...30, using: &random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            var fact = TransactionFact(transactionId: AppleID("\(random.next() % 1_000)"))
            fact.productId = random.pick(["pro", "basic"])
            fact.subscriptionGroupIdentifier = random.pick(["1", "2"])
            fact.type = random.pick([.autoRenewable, .autoRenewable, .autoRenewable, .nonConsumable, .consumable])
            fact.purchaseDate = time
            fact.originalPurchaseDate = time
            fact.expiresDate = fact.type == .autoRenewable ? end : nil
            fact.price = TransactionFact.Price(price: 990, currency: "EUR")
            fact.appTransactionId = account
            fact.previousOriginalTransactionId = random.chance(5) ? AppleID("\(number * 37)") : nil
            return .transaction(fact)
        case 1:
            var fact = RenewalFact()
            fact.productId = "pro"
            fact.autoRenewProductId = random.pick(["pro", "basic"])
            fact.autoRenewStatus = random.pick([.on, .off])
            fact.renewalDate = end
            fact.isInBillingRetryPeriod = random.chance(20)
            fact.eligibleWinBackOfferIds = OfferIdentifiers.interned(random.chance(30) ? ["win1", "win2"] : [])
            fact.appTransactionId = account
            return .renewal(fact)
        default:
            var fact = NotificationFact()
            fact.notificationType = .didRenew
            fact.status = random.pick([.active, .expired, .billingRetry])
            return .notification(fact)
        }
    }
}

extension ProjectionWorld {
    /// Returns the states of all keys, each found by look-ups.
    func states(rules: Rules) throws -> [SubscriptionState] {
        let asOf = facts.size == 0 ? .earliest : try recordedAtOfLast()
        return try keys.sorted().compactMap { key in
            let timelines = try facts.timelines(around: key, knownAt: .max)
            return Lineage.components(of: timelines).states(at: asOf, rules: rules).first { $0.key == key }
        }
    }

    private func recordedAtOfLast() throws -> Instant {
        try facts.facts(at: facts.size - 1)?.recordedAt ?? .earliest
    }

    /// Returns the stored rows, as the values of columns by name.
    func rows(_ manifest: ProjectionManifest) throws -> [[String: ColumnValue]] {
        guard let stored = try store.open(manifest.projection, manifest.rulesDigest) else { return [] }
        var rows: [[String: ColumnValue]] = []
        while let next = try stored.next() {
            rows += next.map { values in
                Dictionary(
                    uniqueKeysWithValues: zip(manifest.columns, values).compactMap { column, value in
                        value.map { (column.name, $0) }
                    })
            }
        }
        return rows
    }
}
