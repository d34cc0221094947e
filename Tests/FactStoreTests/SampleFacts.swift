import AppStoreModel
import FactStore
import LedgerModel
import LedgerTesting
import Primitives

extension KeyedObservation {
    /// The observation of a number. Equal numbers give the same observation in any event. Hundreds of numbers share a
    /// few dozen keys, some of which are joined by migrations and Apple accounts.
    static func sample(_ number: Int, position: Position = 0, recordedAt: Instant = .earliest) -> KeyedObservation {
        var generator = SeededRandom(seed: UInt64(number))
        let key = SubscriptionKey(
            environment: generator.pick([.production, .sandbox, Environment(rawValue: "Tomorrow's")]),
            bundleId: generator.pick(["com.example.app", "com.example.other"]),
            originalTransactionId: generator.id())
        let source = Source(
            name: ObservationName(digest: .sha256(of: Array("\(number)".utf8))),
            time: Instant(milliseconds: Int64(number % 7)), rank: .jws, position: position, recordedAt: recordedAt)
        let fact: Fact
        switch number % 4 {
        case 0:
            var transaction = TransactionFact(transactionId: AppleID("\(number)"))
            transaction.productId = "pro"
            transaction.appTransactionId = generator.chance(20) ? generator.account() : nil
            transaction.previousOriginalTransactionId = generator.chance(10) ? AppleID(generator.id()) : nil
            fact = .transaction(transaction)
        case 1:
            var renewal = RenewalFact()
            renewal.autoRenewStatus = .on
            renewal.appTransactionId = generator.chance(20) ? generator.account() : nil
            fact = .renewal(renewal)
        case 2:
            var notification = NotificationFact()
            notification.notificationUUID = NotificationUUID("\(number)")
            fact = .notification(notification)
        default:
            var app = AppFact()
            app.originalApplicationVersion = Symbol("\(number)")
            let account: AppAccountKey.Account =
                generator.chance(50)
                ? .appTransaction(generator.account())
                : .firstDownload(at: Instant(milliseconds: Int64(generator.next() >> 24)), version: "1.9")
            return KeyedObservation(
                key: .appAccount(AppAccountKey(environment: key.environment, bundleId: key.bundleId, account: account)),
                observation: Observation(source: source, fact: .app(app)))
        }
        return KeyedObservation(key: .subscription(key), observation: Observation(source: source, fact: fact))
    }
}

extension SeededRandom {
    /// One of a few ids, two of them as long as only a hostile id is.
    fileprivate mutating func id() -> String {
        let number = Int.random(in: 0..<14, using: &self)
        return number < 2 ? String(repeating: "9", count: 600) + "\(number)" : "20000000000000\(number)"
    }

    fileprivate mutating func account() -> AppleID {
        AppleID("70\(Int.random(in: 0..<40, using: &self))")
    }
}
