import AppStoreModel
import FactStore
import LedgerModel
import Primitives

/// Apple's request for consumption information about a transaction, after its customer asked for a refund.
/// https://developer.apple.com/documentation/appstoreservernotifications/notificationtype
struct ConsumptionRequest: Hashable, Sendable {
    let key: SubscriptionKey
    let transactionId: String
    let type: ProductType?
    let notificationUUID: NotificationUUID
    /// No answer is sent after it: Apple's twelve hours, less a quarter of an hour for failed calls.
    let deadline: Instant

    private static let answerTime = 12 * Instant.millisecondsPerHour - 15 * Instant.millisecondsPerMinute

    /// Nil for any other event.
    init?(_ facts: EventFacts) {
        for observed in facts.observations {
            guard case .notification(let notification) = observed.observation.fact,
                notification.notificationType == .consumptionRequest, let uuid = notification.notificationUUID,
                case .subscription(let key) = observed.key,
                let transaction = facts.observations.lazy.compactMap({ other -> TransactionFact? in
                    guard case .transaction(let fact) = other.observation.fact,
                        notification.carries(other.observation.source.name.digest)
                    else { return nil }
                    return fact
                }).first
            else { continue }
            self.key = key
            transactionId = transaction.transactionId.text
            type = transaction.type
            notificationUUID = uuid
            deadline = observed.observation.source.time.advanced(byMilliseconds: Self.answerTime)
            return
        }
        return nil
    }
}
