import AppStoreModel
import EventLog
import FactStore
import FoundationEssentials
import LedgerModel
import LedgerStorage
import Primitives

/// Ten million facts of a million subscriptions, written through the store's own writer. Each subscription has a
/// purchase, two renewals and a transaction posted by the app. The events of a subscription are far apart.
final class FactSample {
    static let keys = 1_000_000
    /// Three notifications with a transaction and a renewal info, and a transaction.
    static let factCount = Double(10 * keys)
    private static let rounds = 4
    private static let eventCount = UInt64(rounds * keys)
    private static let start: Int64 = 1_735_689_600_000
    private static let month: Int64 = 30 * 86_400_000

    let facts: FactIndex

    /// Opens the store, which is created once and kept under `.build/`.
    init(_ progress: Progress) throws {
        let path = URL(filePath: ".build/benchmarks/ten-million-facts").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let folder = DataFolder(path: path)
        try folder.create()
        facts = try FactIndex(writing: folder, mapSizeBytes: 1 << 40) { _, _ in .none }
        while facts.size < Self.eventCount {
            progress.report("making 10 million facts: \(facts.size) of \(Self.eventCount) events")
            let end = min(facts.size + 65_536, Self.eventCount)
            facts.observe((facts.size..<end).map(Self.event))
            try facts.store()
        }
    }

    /// Calls `body` with each transaction as it was signed, and the status that a notification states with it.
    static func forEachTransaction(
        _ body: (SubscriptionKey, Instant, SubscriptionStatusCode?, TransactionFact) -> Void
    ) {
        for number in 0..<keys {
            let subscription = SampleSubscription(number: number)
            for round in 0..<rounds {
                for keyed in subscription.observations(round) {
                    guard case .transaction(let fact) = keyed.observation.fact else { continue }
                    body(subscription.key, keyed.observation.source.time, round < 3 ? .active : nil, fact)
                }
            }
        }
    }

    private static func event(_ position: UInt64) -> CommittedEvent {
        let round = Int(position) / keys
        // A permutation of the keys: the factor has no divisor in common with their number.
        let number = Int(position) % keys * 7_919 % keys
        let facts = EventFacts(SampleSubscription(number: number).observations(round))
        return CommittedEvent(
            position: position,
            recordedAt: Instant(milliseconds: start + Int64(round) * month + Int64(position) % Int64(keys) * 2_000),
            attachment: IndexedFacts(facts))
    }
}

/// A subscription of the sample.
private struct SampleSubscription {
    private static let products: [Symbol] = ["pro.monthly", "pro.yearly", "basic.monthly", "basic.yearly"]
    private static let storefronts: [Symbol] = ["USA", "DEU", "JPN", "BRA"]
    private static let currencies: [Symbol] = ["USD", "EUR", "JPY", "BRL"]
    private static let month: Int64 = 30 * 86_400_000
    private static let first: Int64 = 1_735_689_600_000

    let number: Int

    var key: SubscriptionKey {
        SubscriptionKey(
            environment: .production, bundleId: "com.example.app",
            originalTransactionId: "\(2_000_000_000_000_000 + number)")
    }

    private func purchaseDate(_ round: Int) -> Instant {
        Instant(milliseconds: Self.first + Int64(number % 86_400) * 25_000 + Int64(min(round, 2)) * Self.month)
    }

    func observations(_ round: Int) -> [KeyedObservation] {
        // In the last round the app posts the newest transaction again, signed later.
        let transaction = observation(.transaction(transaction(min(round, 2))), signed: round, part: 0)
        guard round < 3 else { return [transaction] }
        let renewal = observation(.renewal(renewal(round)), signed: round, part: 1)
        var fact = NotificationFact()
        fact.notificationType = round == 0 ? .subscribed : .didRenew
        fact.notificationUUID = NotificationUUID(bytes: UUIDBytes(value: UInt128(number) << 64 | UInt128(round + 1)))
        fact.status = .active
        fact.signedTransactionInfo = transaction.observation.source.name.digest
        fact.signedRenewalInfo = renewal.observation.source.name.digest
        return [transaction, renewal, observation(.notification(fact), signed: round, part: 2)]
    }

    private func observation(_ fact: Fact, signed round: Int, part: Int) -> KeyedObservation {
        var generator = SplitMix(state: UInt64(number) << 8 | UInt64(round << 2 | part))
        let digest = Digest(words: (generator.next(), generator.next(), generator.next(), generator.next()))
        let time = purchaseDate(round).advanced(byMilliseconds: round == 3 ? 86_400_000 : 1_500)
        let source = Source(
            name: ObservationName(digest: digest), time: time, rank: .jws, position: 0, recordedAt: time)
        return KeyedObservation(key: .subscription(key), observation: Observation(source: source, fact: fact))
    }

    private func transaction(_ round: Int) -> TransactionFact {
        let purchaseDate = purchaseDate(round)
        var fact = TransactionFact(
            transactionId: AppleID(.number(UInt64(2_000_000_000_000_000 + number + round * 1_000_000_000))))
        fact.webOrderLineItemId = AppleID(.number(UInt64(3_000_000_000_000_000 + number * 4 + round)))
        fact.productId = Self.products[number % 4]
        fact.subscriptionGroupIdentifier = "21000001"
        fact.type = .autoRenewable
        fact.inAppOwnershipType = .purchased
        fact.transactionReason = round == 0 ? .purchase : .renewal
        fact.purchaseDate = purchaseDate
        fact.originalPurchaseDate = self.purchaseDate(0)
        fact.expiresDate = purchaseDate.advanced(byMilliseconds: Self.month)
        fact.quantity = 1
        fact.storefront = Self.storefronts[number % 4]
        fact.price = TransactionFact.Price(price: 9_990, currency: Self.currencies[number % 4])
        fact.appAccountToken = AppAccountToken(uuid: UUIDBytes(value: UInt128(number + 1)))
        // One in ten accounts has two subscriptions.
        fact.appTransactionId = AppleID(
            .number(UInt64(700_000_000_000_000_000 + (number % 10 == 1 ? number - 1 : number))))
        return fact
    }

    private func renewal(_ round: Int) -> RenewalFact {
        var fact = RenewalFact()
        fact.productId = Self.products[number % 4]
        fact.autoRenewProductId = Self.products[number % 4]
        fact.autoRenewStatus = number % 7 == 0 && round == 2 ? .off : .on
        fact.isInBillingRetryPeriod = false
        fact.renewalDate = purchaseDate(round).advanced(byMilliseconds: Self.month)
        fact.recentSubscriptionStartDate = purchaseDate(0)
        fact.renewalPrice = TransactionFact.Price(price: 9_990, currency: Self.currencies[number % 4])
        fact.appAccountToken = AppAccountToken(uuid: UUIDBytes(value: UInt128(number + 1)))
        fact.appTransactionId = transaction(round).appTransactionId
        return fact
    }
}
